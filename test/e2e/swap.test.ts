// The swap of one member, as a hurried reviewer sees it: every line of the printed plan counts, blank ones, too.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openRepository } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const example = join(import.meta.dirname, '../../examples/quickstart')
const secrets = ['ERP_PASSWORD', 'ERP_TEST_PASSWORD', 'SUPPLIERS_CLIENT_SECRET', 'VAT_PASSWORD', 'MAIL_CLIENT_SECRET']
const env = {
  ...Object.fromEntries(secrets.map((each) => [each, 'x'])),
  ...{ SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'local-only' },
}

let workspace: Workspace
const before = new Map<string, string>()

beforeAll(async () => {
  workspace = await openWorkspace({
    tenantFile: join(example, 'tenant.yaml'),
    target: '    variables: { erpServer: sql-local }',
    settings: 'accounts: { external: ["*@corp.example.com", everyone@example.com] }',
    env,
  })
  cpSync(join(example, 'manifests'), join(workspace.dir, 'manifests'), { recursive: true })
  workspace.write(
    'manifests/team.yaml',
    `database: main
groups: [{ svcId: team@example.com, name: Team, members: [tomasz.lis@example.com] }]
applications: [{ application: Purchasing, privileges: { PortalDesigner: [team@example.com] } }]
`,
  )
  for (const file of ['groups.yaml', 'team.yaml'])
    before.set(file, readFileSync(join(workspace.dir, 'manifests', file), 'utf8'))
  await workspace.apply()
  openRepository(workspace.dir).commit('As applied')
})

afterAll(async () => workspace.close())

async function linesOfSwap(file: string, person: string, ...options: readonly string[]): Promise<readonly string[]> {
  const text = before.get(file) ?? ''
  workspace.write(`manifests/${file}`, text.replace(/\[(maria|tomasz)[^\]]+\]/, `[${person}@example.com]`))
  const { stdout } = await runCommand(['plan', ...options], workspace.dir, env)
  workspace.write(`manifests/${file}`, text)
  return stdout.trimEnd().split('\n')
}

it('takes 14 lines where the group is in no other', async () => {
  for (const options of [[], ['--since', 'HEAD']])
    expect(await linesOfSwap('team.yaml', 'hanna.berg', ...options)).toHaveLength(14)
})

it.each([
  ['hanna.berg', 14],
  ['anna.nowak', 14],
  ['piotr.zielinski', 15], // Keeps Administrator besides.
  ['jan.kos', 16], // Somebody stands in for him.
])('with %s takes %d lines where the group is in groups, with all that a reviewer needs', async (person, lines) => {
  for (const options of [[], ['--since', 'HEAD']]) {
    const shown = await linesOfSwap('groups.yaml', person, ...options)
    expect(shown, shown.join('\n')).toHaveLength(lines)
    const text = shown.join('\n')
    for (const fact of [
      '1 account loses access',
      'through ap-clerks@example.com',
      'auditors@corp.example.com',
      '--expect',
    ])
      expect(text).toContain(fact)
    expect(text).toMatch(/ {2}- maria\.wolska@example\.com /)
    expect(text).toMatch(new RegExp(` {2}\\+ ${person}@example\\.com `))
    expect(text).toMatch(/group\/ap-clerks@example\.com +manifests\/groups\.yaml:13:5\n +members {2}-maria/)
  }
})
