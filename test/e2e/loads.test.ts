// Commands do not load the HTTP client, which takes as long as the rest of a short command.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'

it('what sends no request does without the client of HTTP', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-loads-'))
  try {
    cpSync(resolve(import.meta.dirname, '../../dist'), dir, { recursive: true })
    const chunks = join(dir, 'chunks')
    const ofUndici = readdirSync(chunks).filter((file) =>
      readFileSync(join(chunks, file), 'utf8').includes('UND_ERR_SOCKET'),
    )
    expect(ofUndici.length).toBeGreaterThan(0)
    for (const file of ofUndici) rmSync(join(chunks, file))
    const run = (...args: string[]) =>
      startCommand(
        [join(dir, 'svcsync.cjs'), ...args],
        resolve(import.meta.dirname, '../../examples/organisation'),
        {},
        { program: 'none' },
      ).ended
    expect(await run('--version')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('plan', '--help')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('fmt', '--check')).toMatchObject({ code: 0 })
    expect(await run('validate')).toMatchObject({ code: 0 })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

it('what validate loads is in few files: each takes longer to be read than what stands in it', () => {
  const dist = resolve(import.meta.dirname, '../../dist')
  const named = (name: string) =>
    readdirSync(join(dist, 'chunks')).find((file) => file.startsWith(`${name}-`)) as string
  // A module loaded by `import()` becomes `Promise.resolve().then(() => __toESM(require(…)))`.
  const atOnce = /(?<!__toESM\()\brequire\("\.\/([^"]+)"\)/g
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    const imports = readFileSync(join(dist, file), 'utf8').matchAll(atOnce)
    for (const [, path = ''] of imports) load(join('chunks', path))
  }
  for (const name of ['program', 'validate']) load(join('chunks', named(name)))
  expect(loaded.size).toBeGreaterThan(2)
  expect(loaded.size).toBeLessThan(10)
})
