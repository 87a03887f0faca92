// Pages from the built command, and where their links lead in each pipeline.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { linkFrom } from '../../src/cli/planning/place-links.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
  workspace.manifest('users:\n  - { svcId: eva@example.com, name: Eva }\n  - { svcId: jan@example.com, name: Jan }\n')
  // Other files of git do not matter here.
  mkdirSync(join(workspace.dir, '.git'))
})
afterAll(() => workspace.close())

const pipeline = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'org/config', GITHUB_SHA: 'abc123' }
const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env, ...pipeline })

it('gives a page for a plan, a drift, a saved plan, and an apply', async () => {
  const plan = await run('plan', '--format', 'html', '--out', 'plan.json')
  expect(plan.code).toBe(0)
  expect(plan.stdout).toMatch(/^<!doctype html>/)
  expect(plan.stdout).toContain('<a href="https://github.com/org/config/blob/abc123/manifests/main.yaml#L2">')
  const saved = await run('show', 'plan.json', '--format', 'html')
  expect(saved.stdout).toContain('id="c2"')
  const drift = await run('drift', '--format', 'html')
  expect(drift.code).toBe(2)
  expect(drift.stdout).toContain('Healing creates them.')
  const applied = await run('apply', '--yes', '--format', 'html')
  expect(applied.code).toBe(0)
  expect(applied.stdout).toContain('<h2>When each step ran</h2>')
  expect(applied.stdout).not.toContain(workspace.env.SVCSYNC_CLIENT_SECRET)
})

it.each([
  [pipeline, 'https://github.com/org/config/blob/abc123/manifests/a%20b.yaml#L7'],
  [
    { CI_PROJECT_URL: 'https://gitlab.example.com/g/p', CI_COMMIT_SHA: 'abc' },
    'https://gitlab.example.com/g/p/-/blob/abc/manifests/a%20b.yaml#L7',
  ],
  [
    {
      BUILD_REPOSITORY_PROVIDER: 'TfsGit',
      BUILD_REPOSITORY_URI: 'https://org@dev.azure.com/org/p/_git/r',
      BUILD_SOURCEVERSION: 'abc',
    },
    'https://dev.azure.com/org/p/_git/r?path=/manifests/a%20b.yaml&version=GCabc&line=7&lineEnd=8&lineStartColumn=1&lineEndColumn=1',
  ],
  [{ ...pipeline, GITHUB_SERVER_URL: 'javascript:alert(1)//' }, undefined],
  [{}, undefined],
])('links to lines with %j', (variables, address) => {
  const link = linkFrom(variables, workspace.dir)
  expect(link?.({ file: 'manifests/a b.yaml', line: 7, column: 1 })).toBe(address)
  expect(link?.({ file: '../elsewhere.yaml', line: 7, column: 1 })).toBeUndefined()
  // A removed line was in the commit of the base, or in a folder.
  const gone = (commit: string | null) => link?.({ ...{ commit }, file: 'manifests/a b.yaml', line: 7, column: 1 })
  expect(gone('0ld')).toBe(address?.replace(/(?<=[/C])abc(?:123)?(?=[/&])/, '0ld'))
  expect(gone(null)).toBeUndefined()
})
