// From an empty folder to an installation that is as declared, by the commands that `init` names.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RunningCommand, runCommand, startCommand } from '../harness/command.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-init-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** As `set -a; . ./.env` reads it. */
function environment(): Record<string, string> {
  const lines = readFileSync(join(dir, '.env.example'), 'utf8').split('\n')
  return Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/).slice(0, 2)))
}

/** The port of the example may be taken. */
function moveTo(address: string): void {
  const file = join(dir, 'svcsync.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:4010', address))
}

it('makes a project that validates, plans, applies and stays', async () => {
  const init = await runCommand(['init'], dir)
  expect(init).toMatchObject({ code: 0 })
  expect(init.stdout).toContain('written  svcsync.yaml\n')
  expect(init.stdout).toContain('0 left as they were.')
  expect(init.stderr).toContain('  npx svcsync emulator --tenant tenant.yaml --port 4010 &')
  const steps = init.stderr.split('\n').filter((line) => /^ {2}\S/.test(line) && line.includes('svcsync '))
  expect(steps.map((line) => line.trim().split(' ')[0])).toEqual(['npx', 'npx', 'npx', 'npx'])
  expect(readFileSync(join(dir, '.gitignore'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['plan.json', '*.jsonl']),
  )
  const emulator = startCommand(['emulator', '--tenant', 'tenant.yaml'], dir)
  const address = firstLineOf(emulator)
  try {
    moveTo(await address)
    const run = (...args: string[]) => runCommand(args, dir, environment())
    expect(await run('validate', '--strict')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('fmt', '--check')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 2 })
    const applied = await run('apply', '--yes', '--format', 'json')
    expect(applied.code).toBe(0)
    expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'converged' })
    expect(await run('drift')).toMatchObject({ code: 0 })
  } finally {
    emulator.child.kill('SIGTERM')
    await emulator.ended
  }
})

it.each([
  ['no package.json', undefined, true],
  ['a package.json without svcsync', { devDependencies: { other: '1.0.0' } }, true],
  ['a package.json that cannot be read', '{', true],
  ['a package.json with svcsync', { devDependencies: { svcsync: 'file:svcsync-0.1.0.tgz' } }, false],
])('says what the workflows lack: %s', async (_, content, lacks) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (content !== undefined) writeFileSync(join(dir, 'package.json'), text)
  const { stderr } = await runCommand(['init'], dir)
  expect(stderr.includes('need svcsync in package.json')).toBe(lacks)
})

it('is no second project in the same folder', async () => {
  expect((await runCommand(['init', 'sub', '--quiet'], dir)).stderr).toBe('')
  const files = readdirSync(join(dir, 'sub')).sort()
  expect(files).toContain('.github')
  const again = await runCommand(['init', 'sub'], dir)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('SVC2030')
  expect(readdirSync(join(dir, 'sub')).sort()).toEqual(files)
})

function firstLineOf({ child }: RunningCommand): Promise<string> {
  return new Promise((done) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')))
    })
  })
}
