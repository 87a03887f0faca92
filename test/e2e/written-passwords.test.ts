// Passwords that manifests or the platform hold within addresses and settings: sent, compared, and shown nowhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

/** The letters that are looked for stand in each password. */
const mark = 'PLANTED'
const url = (nth: number): string => `https://api:${mark}${nth}@suppliers.example.com/v1`
const manifest = (nth: number): string => `database: main
constants:
  - { name: Link, common: "jdbc:sqlserver://sql01;user=erp;password=${mark}${nth};encrypt=true" }
connections:
  - name: Suppliers
    type: REST
    rest: { common: { baseUrl: "${url(nth)}", authentication: Anonymous } }
`

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({ tenant: { databases: [{ id: 1 }] } })
})
afterEach(() => workspace.close())

interface State {
  readonly databases: readonly [
    {
      readonly constants: readonly { readonly common: string }[]
      readonly connections: readonly { readonly rest: { readonly common: Record<string, string> } }[]
    },
  ]
}

const run = async (...args: readonly string[]) => {
  const result = await runCommand(args, workspace.dir, { ...workspace.env })
  for (const shown of [result.stdout, result.stderr]) expect(shown, args.join(' ')).not.toContain(mark)
  return result
}
const sent = () => {
  const [{ constants, connections }] = (workspace.emulator.state() as unknown as State).databases
  return [constants[0]?.common, connections[0]?.rest.common.baseUrl]
}
const byHand = (nth: number, more: Record<string, string> = {}) => {
  const state = structuredClone(workspace.emulator.state()) as unknown as State
  Object.assign(state.databases[0].connections[0]?.rest.common ?? {}, { baseUrl: url(nth), ...more })
  workspace.emulator.load(state as unknown as Tenant)
}
const formats = ['text', 'json', 'markdown', 'html']

it('are sent and in no output, whichever of two it is, and another one is a change', async () => {
  workspace.manifest(manifest(1))
  const validated = await run('validate')
  expect(validated.stdout.match(/SVC1324 {2}`(?:common|baseUrl)` holds a password/g)).toHaveLength(2)
  for (const format of formats) {
    const { stdout } = await run('plan', '--format', format)
    expect(stdout).toContain('api:***@suppliers.example.com')
  }
  const applied = await run('apply', '--yes', '--journal', 'apply.jsonl', '--verbose')
  expect(applied.code, applied.stderr).toBe(0)
  expect(readFileSync(join(workspace.dir, 'apply.jsonl'), 'utf8')).not.toContain(mark)
  expect(sent()).toEqual([expect.stringContaining(`password=${mark}1;`), url(1)])
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0)

  workspace.manifest(manifest(2))
  for (const format of formats) await run('plan', '--format', format)
  const { changes } = JSON.parse((await run('plan', '--format', 'json')).stdout)
  expect(changes.map(({ differences }: { differences: object[] }) => differences)).toEqual([
    [expect.objectContaining({ after: 'https://api:***@suppliers.example.com/v1', masked: true })],
    [expect.objectContaining({ after: 'jdbc:sqlserver://sql01;user=erp;password=***;encrypt=true', masked: true })],
  ])
  expect((await run('apply', '--yes')).code).toBe(0)
  expect(sent()).toEqual([expect.stringContaining(`password=${mark}2;`), url(2)])
  await run('diff', '--live', 'test', 'test')
})

it('of two targets are compared, and shown of neither, also as variables', async () => {
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  const other = `  prod:\n    baseUrl: https://svc.example.com\n    databases: { main: 1 }\n    overrides: [prod]\n`
  const variables = (nth: number) => `    variables: { link: "${url(nth)}" }\n`
  workspace.write(
    'svcsync.yaml',
    project.replace('targets:\n  test:\n', `targets:\n${other}${variables(5)}  test:\n${variables(6)}`),
  )
  workspace.manifest(manifest(1).replace(/common: "jdbc.*"/, 'common: "${var:link}"'))
  workspace.write('prod/o.yaml', manifest(2).replace(/constants:\n.*\n/, ''))
  const { code, stdout } = await run('diff', 'test', 'prod', '--format', 'json')
  const { variables: found, explained } = JSON.parse(stdout)
  expect(code).toBe(0)
  const link = 'https://api:***@suppliers.example.com/v1'
  expect(found).toEqual([{ name: 'link', first: link, second: link }])
  expect(explained.map(({ fields }: { fields: object[] }) => fields)).toEqual([
    [{ path: 'rest.common.baseUrl', masked: true }],
    [{ path: 'common', masked: true }],
  ])
  expect((await run('diff', 'test', 'prod', '--verbose')).stdout).toContain('(hidden)')
})

it('are in no plan file, which cannot be restored without them', async () => {
  workspace.manifest(manifest(1))
  const { code, stderr } = await run('plan', '--out', 'plan.json')
  expect([code, stderr]).toEqual([1, expect.stringContaining('error SVC1324  The manifests hold passwords')])
  expect(stderr).toContain('manifests/main.yaml:5:5  https://api:***@suppliers.example.com/v1')
  expect(existsSync(join(workspace.dir, 'plan.json'))).toBe(false)
  await run('apply', '--yes')
  // The plan of another change may be saved, beside live passwords that it does not show.
  workspace.manifest(manifest(1).replace(`"${url(1)}", authentication: Anonymous`, 'https://b.example.com'))
  byHand(3, { authenticationUrl: url(4) })
  const saved = await run('plan', '--out', 'plan.json')
  expect(saved.code, saved.stderr).toBe(0)
  expect(readFileSync(join(workspace.dir, 'plan.json'), 'utf8')).not.toContain(mark)
  const applied = await run('apply', 'plan.json', '--yes', '--journal', 'apply.jsonl')
  expect(applied.code, applied.stderr).toBe(0)
  const [{ connections }] = (workspace.emulator.state() as unknown as State).databases
  expect(connections[0]?.rest.common).toMatchObject({ baseUrl: 'https://b.example.com', authenticationUrl: url(4) })
  const undone = await run('undo', 'apply.jsonl', '--yes')
  expect(undone.stdout).toContain('svcsync does not know the former value')
})

it('of a deleted account do not come back by an undo, which says so', async () => {
  const user = { svcId: 'eva@example.com', name: 'Eva', email: 'eva@example.com', jobTitle: `see ${url(7)}` }
  workspace.emulator.load({ users: [user], databases: [{ id: 1 }] } as never)
  workspace.manifest('users: [{ svcId: eva@example.com, absent: true }]\n')
  const applied = await run('apply', '--yes', '--journal', 'apply.jsonl', '--allow', 'deletions=1')
  expect(applied.code, applied.stderr).toBe(0)
  expect(readFileSync(join(workspace.dir, 'apply.jsonl'), 'utf8')).not.toContain(mark)
  const undone = await run('undo', 'apply.jsonl', '--yes')
  expect(undone.stdout).toContain('`jobTitle` holds a secret: svcsync does not know the former value')
  expect(workspace.emulator.state().users).toEqual([
    expect.objectContaining({ svcId: 'eva@example.com', name: 'Eva', jobTitle: null }),
  ])
})

it('of the platform are neither exported nor accepted, and are no drift while they are declared', async () => {
  workspace.manifest(manifest(1))
  await run('apply', '--yes')
  expect((await run('drift')).code).toBe(0)
  byHand(2)
  expect((await run('drift')).code).toBe(2)
  workspace.baseManifest(manifest(1))
  expect((await run('drift', '--since', './base')).code).toBe(2)
  workspace.baseManifest(manifest(2))
  // The manifests alone have moved since.
  const pending = await run('drift', '--since', './base', '--only', 'connection/**')
  expect([pending.code, pending.stdout]).toEqual([0, expect.stringContaining('Suppliers')])
  const accepted = await run('accept')
  expect([accepted.code, accepted.stdout]).toEqual([3, expect.stringContaining('Not taken: connection/main/Suppliers')])
  workspace.manifest(manifest(1).replace(url(1), 'https://suppliers.example.com/v1'))
  expect((await run('accept')).stdout).toContain('rest.common.baseUrl: it holds a password')
  const exported = await run('export', 'out')
  expect(exported.stderr + exported.stdout).toContain(
    'svcsync cannot export it: it holds a password, so declare a reference',
  )
  for (const file of readdirSync(join(workspace.dir, 'out')))
    expect(readFileSync(join(workspace.dir, 'out', file), 'utf8')).not.toContain(mark)
})
