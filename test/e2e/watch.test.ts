// `svcsync validate --watch` as somebody uses it who edits: what each change shows, and how it ends.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RunningCommand, startCommand } from '../harness/command.ts'

const project = `version: 1
manifests: [manifests]
targets:
  test: { baseUrl: "http://127.0.0.1:9", overrides: [overrides] }
  prod: { baseUrl: "http://127.0.0.1:9" }
`
let dir: string
let running: RunningCommand

const write = (file: string, text: string): void => writeFileSync(join(dir, file), text)
const usersWith = (key: string) => `users: [{ svcId: a@example.com, ${key}: A }]\n`

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-watch-'))
  mkdirSync(join(dir, 'manifests'))
  mkdirSync(join(dir, 'overrides'))
  write('svcsync.yaml', project)
  write('manifests/users.yaml', usersWith('name'))
  write('overrides/users.yaml', usersWith('jobTitle'))
})
afterEach(() => {
  running.child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

it('validates again whatever changes, and ends well when it is interrupted', async () => {
  running = startCommand(['validate', '--watch'], dir)
  await running.shows('1 object in 3 files is valid for the targets test and prod.\n')
  // Before it has begun to watch, perhaps: that must not be lost.
  write('manifests/users.yaml', usersWith('nmae'))
  await running.shows('`nmae` is not a key')
  await running.shows('Watching for changes')
  write('overrides/users.yaml', usersWith('jbo'))
  await running.shows('`jbo` is not a key')
  write('manifests/users.yaml', usersWith('name'))
  write('overrides/users.yaml', usersWith('jobTitle'))
  write('manifests/more.yaml', 'users: [{ svcId: b@example.com, name: B }]\n')
  await running.shows('2 objects in 4 files are valid')

  // As editors save: a new file in the place of the old one.
  write('saved~', 'version: 1\nmanifests: [')
  renameSync(join(dir, 'saved~'), join(dir, 'svcsync.yaml'))
  await running.shows('This is not YAML')
  rmSync(join(dir, 'svcsync.yaml'))
  await running.shows('there is no such file')
  write('svcsync.yaml', project.replace('"http://127.0.0.1:9" }', '"http://127.0.0.1:9", overrides: [not-yet] }'))
  await running.shows('There is no file or folder `not-yet`')
  mkdirSync(join(dir, 'not-yet'))
  await running.shows('The folder `not-yet` holds no manifest')
  write('not-yet/users.yaml', usersWith('phoneNumber'))
  await running.shows('2 objects in 5 files are valid')

  write('exceptions.yaml', 'exceptions: 1\n')
  await running.shows('exceptions.yaml:1')
  rmSync(join(dir, 'exceptions.yaml'))
  mkdirSync(join(dir, 'policies'))
  write('policies/names.yaml', 'policies: [{ name: no-a, for: [user], expression: "false", message: Never }]\n')
  await running.shows('SVC1801')

  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect(code).toBe(0)
  // No terminal: nothing is cleared, and stdout has results alone.
  expect(`${stdout}${stderr}`).not.toContain('\u001b')
  expect(stdout).not.toContain('Watching')
  expect(stderr).toMatch(/^Watching for changes\. Ctrl-C ends it\.$/m)
  expect(stderr).toContain('svcsync.yaml changed.')
})

it('takes a run of changes for one', async () => {
  running = startCommand(['validate', '--watch', '--strict', '--target', 'test'], dir)
  await running.shows('Watching for changes')
  for (let index = 0; index < 50; index++)
    write(`manifests/${index}.yaml`, `users: [{ svcId: u${index}@example.com }]\n`)
  await running.shows('51 objects in 53 files are valid for the target test.')
  running.child.kill('SIGTERM')
  const { code, stdout } = await running.ended
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n').length).toBeLessThan(10)
})

it('is for people', async () => {
  running = startCommand(['validate', '--watch', '--format', 'junit'], dir)
  expect(await running.ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('SVC2011') })
})
