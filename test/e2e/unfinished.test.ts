// A process that comes to its end while something is still waited for has no result: it must not pass for done.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

/**
 * Whatever svcsync comes to wait for: the request of this number and method never gets out, and nothing else happens.
 */
const neverAnswered = (method: string, number: number): string => `
import { Socket } from 'node:net'
const { write } = Socket.prototype
let seen = 0
Socket.prototype.write = function (data, ...rest) {
  const text = String(data)
  if (text.startsWith('${method} ') && !text.includes('oauth2') && ++seen >= ${number}) this.isMute = true
  if (!this.isMute) return write.call(this, data, ...rest)
  this.unref()
  return true
}
// Nothing is left that would keep the process alive: neither a limit of time nor a free connection.
const { setTimeout: start } = globalThis
globalThis.setTimeout = (work, delayMs, ...rest) => start(work, delayMs, ...rest).unref()
`

async function run(method: string, number: number, args: readonly string[]) {
  workspace = await openWorkspace()
  const names = [1, 2, 3, 4, 5].map((index) => `  - { name: C${index}, common: x }\n`).join('')
  workspace.manifest(`database: main\nconstants:\n${names}`)
  workspace.write('preload.mjs', neverAnswered(method, number))
  const env = { ...workspace.env, NODE_OPTIONS: `--import ${pathToFileURL(join(workspace.dir, 'preload.mjs'))}` }
  return runCommand(args, workspace.dir, env)
}

it('a plan is an error', async () => {
  const { code, stdout, stderr } = await run('GET', 1, ['plan'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('SVC2134')
  expect(stderr).toContain('Nothing was changed on the platform.')
})

it('an apply says that steps may have been carried out, and how to go on', async () => {
  const args = ['apply', '--yes', '--format', 'json', '--concurrency', '1']
  const { code, stdout, stderr } = await run('POST', 5, [...args, '--journal', 'a.journal'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'SVC2134' }] })
  expect(stderr).toContain('Steps may have been sent.')
  expect(stderr).toContain('svcsync apply --resume a.journal')
  expect(
    workspace.emulator.requests().filter(({ method, path }) => method === 'POST' && !String(path).includes('oauth2')),
  ).toHaveLength(4)
  // The hint helps.
  const again = await runCommand(['apply', '--resume', 'a.journal', '--yes'], workspace.dir, workspace.env)
  expect(again.code, again.stderr).toBe(0)
  expect(await workspace.changes()).toEqual([])
})
