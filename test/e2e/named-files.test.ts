// Whatever somebody names as a file: a pipe or a device would keep a command waiting, and a huge one take all memory.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  execFileSync('mkfifo', [join(dir, 'pipe.yaml')])
  // It takes no room on the disk.
  writeFileSync(join(dir, 'huge.yaml'), '')
  truncateSync(join(dir, 'huge.yaml'), 300 * 1024 * 1024)
  const target = '{ baseUrl: "https://127.0.0.1:9", clientId: a, clientSecret: "$' + '{env:S}" }'
  const project = (manifests: string) => `version: 1\nmanifests: [${manifests}]\ntarget: t\ntargets: { t: ${target} }\n`
  for (const name of ['pipe', 'huge']) writeFileSync(join(dir, `${name}-manifest.yaml`), project(`${name}.yaml`))
  writeFileSync(join(dir, 'plain.yaml'), project('plain-users.yaml'))
  writeFileSync(join(dir, 'plain-users.yaml'), 'users: [{ svcId: a@x }]\n')
})
afterAll(() => rmSync(dir, { recursive: true }))

const uses: readonly (readonly [string, (file: string) => readonly string[], string])[] = [
  ['a plan to show', (file) => ['show', file], 'SVC2100'],
  ['a plan to apply', (file) => ['apply', file], 'SVC2100'],
  ['a journal', (file) => ['apply', '--yes', '--resume', file, '--project', 'plain.yaml'], 'SVC2123'],
  ['a project file', (file) => ['validate', '--project', file], 'SVC1'],
  ['a manifest', (file) => ['validate', '--project', file.replace('.', '-manifest.')], 'SVC10'],
  ['certificates', (file) => ['plan', '--project', 'plain.yaml', '--ca-file', file], 'SVC3052'],
  ['a tenant', (file) => ['emulator', '--tenant', file, '--port', '0'], 'SVC2811'],
  ['what is to be formatted', (file) => ['fmt', file, '--check'], 'SVC10'],
]

it.each(uses)('%s is refused by its kind and by its size', async (_, args, code) => {
  for (const [file, why] of [
    ['pipe.yaml', /it is a pipe or a device/],
    ['huge.yaml', /it has 300 MB, and may have \d+/],
  ] as const) {
    const result = await runCommand(args(file), dir, { S: 's3cret' })
    expect(result.code, result.stderr).toBe(1)
    const said = result.stderr + result.stdout
    expect(said).toMatch(why)
    expect(said).toContain(code)
    expect(said.length).toBeLessThan(1500)
  }
})
