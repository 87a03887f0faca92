// Compiled code is kept for the next run only where nobody else could replace it.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'

const keeps = Number.parseInt(process.versions.node, 10) >= 22
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svcsync-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const within = (caches: string): string => join(caches, 'svcsync/code')
const kept = (caches = join(home, '.cache')): number =>
  existsSync(within(caches)) ? readdirSync(within(caches)).length : 0
const run = async (env: Record<string, string>): Promise<void> => {
  const { code, stderr } = await startCommand(['--help'], home, env).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

it('in a folder of the user alone, from Node 22 on', async () => {
  await run({ HOME: home })
  await run({ HOME: home })
  expect(kept()).toBe(keeps ? 1 : 0)
  if (keeps) expect(statSync(within(join(home, '.cache'))).mode & 0o777).toBe(0o700)
  await run({ HOME: '/nowhere', XDG_CACHE_HOME: join(home, 'caches') })
  expect(kept(join(home, 'caches'))).toBe(keeps ? 1 : 0)
})

it.each([
  ['that others may read', '.cache/svcsync/code', 0o755],
  ['that others may write', '.cache/svcsync/code', 0o777],
  ['below one that others may write', '.cache', 0o777],
])('never in one %s', async (_what, open, mode) => {
  mkdirSync(within(join(home, '.cache')), { recursive: true, mode: 0o700 })
  chmodSync(join(home, open), mode)
  await run({ HOME: home })
  expect(kept()).toBe(0)
})

it('never where a link leads to one that others may write', async () => {
  const elsewhere = join(home, 'elsewhere/code')
  mkdirSync(elsewhere, { recursive: true, mode: 0o700 })
  chmodSync(dirname(elsewhere), 0o777)
  mkdirSync(join(home, '.cache/svcsync'), { recursive: true })
  symlinkSync(elsewhere, within(join(home, '.cache')))
  await run({ HOME: home })
  expect(readdirSync(elsewhere)).toEqual([])
})

it('makes no home that is not there, and takes no path that begins nowhere', async () => {
  await run({ HOME: join(home, 'gone') })
  await run({ HOME: '', XDG_CACHE_HOME: 'caches' })
  expect(readdirSync(home)).toEqual([])
})
