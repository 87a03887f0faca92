// `manifests` may name any file that svcsync can read, and a pull request may change it: what is no manifest is not read, and
// what lies outside the project is not quoted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  mkdirSync(join(dir, 'project'))
  writeFileSync(join(dir, 'passwd'), 'root:x:0:0:s3cret\n')
  writeFileSync(join(dir, 'other.yaml'), 'first: 1\ntoken: s3cret\nusers: [{}]\n')
  const project = (manifests: string) =>
    `version: 1\nmanifests: ["${manifests}"]\ntarget: t\ntargets: { t: { baseUrl: "https://svc.example.com" } }\n`
  for (const [name, file] of Object.entries({ passwd: '../passwd', all: '../p*', other: '../other.yaml' })) {
    writeFileSync(join(dir, 'project', `${name}.yaml`), project(file))
  }
})
afterAll(() => rmSync(dir, { recursive: true }))

it.each([
  ['passwd', '`../passwd` is no manifest'],
  ['all', 'No file matches `../p*`'],
  ['other', '../other.yaml:3:9'],
])('%s', async (name, found) => {
  const { code, stdout, stderr } = await runCommand(['validate', '--project', `${name}.yaml`], join(dir, 'project'))
  expect(code).toBe(1)
  expect(stdout + stderr).toContain(found)
  expect(stdout + stderr).not.toContain('s3cret')
  expect(stdout + stderr).not.toContain('root:')
})
