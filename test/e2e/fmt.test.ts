// `svcsync fmt` as people and pipelines run it.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'

const project = `version: 1
manifests: [manifests]
targets:
  test: { baseUrl: "https://svc.example.com", clientId: "\${env:ID}", clientSecret: "\${env:SECRET}" }
`
const untidy = 'users:\n- name: A # a\n  svcId: a\n'
const tidy = 'users:\n  - svcId: a\n    name: A # a\n'

let dir: string
const path = (file: string) => join(dir, file)
const write = (file: string, text: string) => {
  mkdirSync(dirname(path(file)), { recursive: true })
  writeFileSync(path(file), text)
}
const read = (file: string) => readFileSync(path(file), 'utf8')
const fmt = (...args: string[]) => runCommand(['fmt', ...args], dir)

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-fmt-'))
  write('svcsync.yaml', project)
  write('manifests/a.yaml', untidy)
  write('manifests/b.yaml', tidy)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('formats the manifests of the project, once', async () => {
  chmodSync(path('manifests/a.yaml'), 0o640)
  const first = await fmt()
  expect(first).toEqual({ code: 0, stdout: 'manifests/a.yaml\n1 file formatted, 1 file unchanged.\n', stderr: '' })
  expect(read('manifests/a.yaml')).toBe(tidy)
  expect(statSync(path('manifests/a.yaml')).mode & 0o777).toBe(0o640)
  expect(readdirSync(path('manifests'))).toEqual(['a.yaml', 'b.yaml'])
  expect(await fmt()).toEqual({ code: 0, stdout: '2 files unchanged.\n', stderr: '' })
  expect(read('svcsync.yaml')).toBe(project)
})

it('checks without writing, and shows what would change', async () => {
  const result = await fmt('--check', '--diff')
  expect(result).toMatchObject({ code: 1, stderr: '' })
  expect(result.stdout).toBe(`manifests/a.yaml
--- a/manifests/a.yaml
+++ b/manifests/a.yaml
@@ -1,3 +1,3 @@
 users:
-- name: A # a
-  svcId: a
+  - svcId: a
+    name: A # a
1 file would be formatted, 1 file unchanged.
`)
  expect(read('manifests/a.yaml')).toBe(untidy)
  expect((await fmt('--check', 'manifests/b.yaml')).code).toBe(0)
})

it('shows what would change, and does not do it', async () => {
  const result = await fmt('--diff')
  expect(result).toMatchObject({ code: 1, stdout: (await fmt('--check', '--diff')).stdout, stderr: '' })
  expect(read('manifests/a.yaml')).toBe(untidy)
  expect((await fmt('--help')).stdout.replace(/\s+/g, ' ')).toContain('the same, and show what would change')
})

it('formats the policies of the project, and no file that is neither', async () => {
  const workflow = 'on:   push\n'
  write('policies/a.yaml', 'policies:\n- for: [user]\n  name: a\n')
  write('ci/a.yml', workflow)
  expect((await fmt()).stdout).toBe('manifests/a.yaml\npolicies/a.yaml\n2 files formatted, 1 file unchanged.\n')
  expect(read('policies/a.yaml')).toBe('policies:\n  - name: a\n    for: [user]\n')
  const named = await fmt('ci/a.yml', 'policies')
  expect(named).toMatchObject({ code: 1, stdout: '1 file unchanged, 1 file left as it is.\n' })
  expect(named.stderr).toContain('`ci/a.yml` is neither a manifest nor a file of policies')
  rmSync(path('svcsync.yaml'))
  expect(await fmt('.')).toMatchObject({ code: 0, stdout: '3 files unchanged.\n', stderr: '' })
  expect(read('ci/a.yml')).toBe(workflow)
})

it('leaves alone what it cannot understand, and formats the others', async () => {
  const broken = { 'manifests/c.yaml': 'users: [\n', 'manifests/d.yaml': 'users:\n- svcId: a\n  svcId: b\n' }
  for (const [file, text] of Object.entries(broken)) write(file, text)
  const result = await fmt()
  expect(result.code).toBe(1)
  expect(result.stdout).toContain('1 file formatted, 1 file unchanged, 2 files left as they are.')
  expect(result.stderr).toContain('manifests/d.yaml:3:3')
  expect(result.stderr).toContain('appears twice')
  for (const [file, text] of Object.entries(broken)) expect(read(file)).toBe(text)
  expect(read('manifests/a.yaml')).toBe(tidy)
})

it('does not mind what else is wrong, nor the environment', async () => {
  write('manifests/a.yaml', 'users:\n- nmae: "${env:NOT_SET}"\n  svcId: "${var:none}"\n')
  expect(await fmt()).toMatchObject({ code: 0, stderr: '' })
  expect(read('manifests/a.yaml')).toBe('users:\n  - svcId: "${var:none}"\n    nmae: "${env:NOT_SET}"\n')
})

it('tells programs, without credentials', async () => {
  write(
    'manifests/a.yaml',
    'connections:\n- type: SQL\n  name: A\n  sql: {common: {password: hunter2-literal}}\n# password: hunter3\n',
  )
  const result = await fmt('--check', '--diff', '--format', 'json')
  expect(result).toMatchObject({ code: 1, stderr: '' })
  expect(JSON.parse(result.stdout)).toMatchObject({
    formatVersion: '1.0',
    check: true,
    counts: { changed: 1, unchanged: 1, left: 0 },
    files: [{ file: 'manifests/a.yaml', outcome: 'changed' }, { outcome: 'unchanged' }],
    problems: [],
  })
  expect(result.stdout).toContain('password: ***')
  expect(result.stdout).not.toContain('hunter')
})

it('keeps what a key called like a credential holds out of the difference, also where nothing is wrong', async () => {
  write('manifests/a.yaml', 'x-login: &login\n    password: hunter2\nusers: []\n')
  const { stdout } = await fmt('--check', '--diff')
  expect(stdout).toContain('+  password: ***')
  expect(stdout).not.toContain('hunter')
})

it('writes to what a link leads to, inside the project alone', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'svcsync-outside-'))
  try {
    write('shared/a.yaml', untidy)
    writeFileSync(join(outside, 'x.yaml'), untidy)
    symlinkSync('../shared/a.yaml', path('manifests/in.yaml'))
    symlinkSync(join(outside, 'x.yaml'), path('manifests/out.yaml'))
    const result = await fmt()
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('leads out of the project')
    expect(read('shared/a.yaml')).toBe(tidy)
    expect(lstatSync(path('manifests/in.yaml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(outside, 'x.yaml'), 'utf8')).toBe(untidy)
    expect((await fmt('manifests/out.yaml')).code).toBe(1)
    expect(readFileSync(join(outside, 'x.yaml'), 'utf8')).toBe(untidy)
  } finally {
    rmSync(outside, { recursive: true, force: true })
  }
})

it('takes files and folders, of a folder the manifests', async () => {
  write('tenant.yaml', untidy)
  expect((await fmt('.')).stdout).toBe('manifests/a.yaml\n1 file formatted, 1 file unchanged.\n')
  expect(read('tenant.yaml')).toBe(untidy)
  const missing = await fmt('nope.yaml')
  expect(missing.code).toBe(1)
  expect(missing.stderr).toContain('nope.yaml')
})

it('needs no project where files are named', async () => {
  rmSync(path('svcsync.yaml'))
  expect((await fmt()).stderr).toContain('SVC2001')
  expect(await fmt('manifests/a.yaml')).toMatchObject({ code: 0, stderr: '' })
  expect(read('manifests/a.yaml')).toBe(tidy)
})

it('with a cache, lays out what it does not know yet, and says the same', async () => {
  const first = await fmt('--cache', '-v')
  expect(first).toMatchObject({ code: 0, stdout: 'manifests/a.yaml\n1 file formatted, 1 file unchanged.\n' })
  expect(first.stderr).toBe('Project file: svcsync.yaml\nThe cache knew 0 files.\n')
  // The cache knows the files that it has just written.
  expect((await fmt('--cache', '--check', '-v')).stderr).toContain('The cache knew 2 files.')
  write('manifests/c.yaml', untidy)
  expect(await fmt('--cache', '--check', '-v')).toEqual({
    code: 1,
    stdout: 'manifests/c.yaml\n1 file would be formatted, 2 files unchanged.\n',
    stderr: 'Project file: svcsync.yaml\nThe cache knew 2 files.\n',
  })
  rmSync(path('.svcsync'), { recursive: true })
  write('.svcsync', 'in the way')
  expect(await fmt('--cache', 'manifests/a.yaml')).toEqual({
    code: 0,
    stdout: '1 file unchanged.\n',
    stderr: 'The cache in .svcsync/cache cannot be written: the system says EEXIST. The result is the same.\n',
  })
  rmSync(path('svcsync.yaml'))
  expect((await fmt('--cache', 'manifests/a.yaml')).stderr).toBe('--cache is ignored: it needs a project.\n')
})
