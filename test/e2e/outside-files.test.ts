// `manifests` may name any file that svcsync can read, and a pull request may change it: what is no manifest is not
// read, and what is outside the project is not quoted.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  mkdirSync(join(dir, 'project'))
  writeFileSync(join(dir, 'passwd'), 'root:x:0:0:s3cret\n')
  writeFileSync(join(dir, 'other.yaml'), 'first: 1\nword: s3cret\nusers: [{}]\n')
  writeFileSync(join(dir, 'manifest.yaml'), 'users:\n    - {svcId:   s3cret}\n')
  const project = (manifests: string, policies = '') =>
    `version: 1\nmanifests: ["${manifests}"]\n${policies}target: t\n` +
    'targets: { t: { baseUrl: "https://svc.example.com" } }\n'
  for (const [name, file] of Object.entries({ passwd: '../passwd', glob: '../p*', other: '../other.yaml' })) {
    writeFileSync(join(dir, 'project', `${name}.yaml`), project(file))
  }
  mkdirSync(join(dir, 'project/manifests'))
  writeFileSync(join(dir, 'project/manifests/a.yaml'), 'users: []\n')
  writeFileSync(join(dir, 'project/rules.yaml'), project('manifests', 'policies: [../other.yaml]\n'))
  writeFileSync(join(dir, 'project/all.yaml'), project('../manifest.yaml', 'policies: [../other.yaml]\n'))
})
afterAll(() => rmSync(dir, { recursive: true }))

it.each([
  ['passwd', '`../passwd` is no manifest'],
  ['glob', 'No file matches `../p*`'],
  ['other', '../other.yaml:3:9'],
  ['rules', '../other.yaml:2:1'],
])('%s', async (name, found) => {
  const { code, stdout, stderr } = await runCommand(['validate', '--project', `${name}.yaml`], join(dir, 'project'))
  expect(code).toBe(1)
  expect(stdout + stderr).toContain(found)
  expect(stdout + stderr).not.toContain('s3cret')
  expect(stdout + stderr).not.toContain('root:')
})

it('fmt neither shows nor writes what lies outside, unless it is named', async () => {
  const cwd = join(dir, 'project')
  const before = readFileSync(join(dir, 'manifest.yaml'), 'utf8')
  for (const args of [['--diff'], ['--check', '--format', 'json'], []]) {
    const { stdout, stderr } = await runCommand(['fmt', '--project', 'all.yaml', ...args], cwd)
    expect(stdout + stderr).not.toContain('s3cret')
    expect(stderr).toContain('2 files are outside the project and are left alone')
  }
  expect(readFileSync(join(dir, 'manifest.yaml'), 'utf8')).toBe(before)
  await runCommand(['fmt', '--project', 'all.yaml', '../manifest.yaml'], cwd)
  expect(readFileSync(join(dir, 'manifest.yaml'), 'utf8')).not.toBe(before)
})
