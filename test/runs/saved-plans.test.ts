// Conditions of a saved plan that refuse its apply, and others that do not: time, target, application, references, the
// platform.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { Schema } from '../../src/core/model/schema.ts'
import type { Discrepancy, PlanRefusal } from '../../src/core/saved/plan-refusal.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { AuthorError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { planFileText } from '../../src/runs/saved/plan-file.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { applySaved, forgedText, madeAt, parsed, savedText, type TakeUpOptions } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const password = 'password-that-nobody-may-see'
const manifest = `database: main
users: [{ svcId: ewa.lis@example.com, name: Ewa Lis }]
groups:
  - { svcId: new@example.com, name: New, members: [ewa.lis@example.com] }
  - { svcId: clerks@example.com, name: "Clerks of \${file:city.txt}" }
processes:
  - process: Sample process
    privileges: { Start: [{ svcId: jan.kos@example.com, company: PL01 }] }
connections:
  - name: ERP
    type: SQL
    sql: { common: { server: s, database: d, integratedAuthentication: false, user: "\${env:LOGIN}", password: "\${env:PASSWORD}" } }
`
const secrets = { LOGIN: 'erp', PASSWORD: password }

let workspace: Workspace
let text: string
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant, env: secrets })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(sampleTenant)
  workspace.manifest(manifest)
  workspace.write('manifests/city.txt', 'Gdynia\n')
  text = await savedText(workspace)
  await workspace.control('DELETE', '/requests')
})

async function refusal(options: TakeUpOptions = {}, plan = text): Promise<{ code: string; found: string[] }> {
  const error: unknown = await applySaved(workspace, plan, options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(writesOf(workspace.emulator)).toEqual([])
  expect(JSON.stringify(error)).not.toContain(password)
  const { code, discrepancies = [] } = error as PlanRefusal
  const tell = ({ subject, path, planned, found, remark }: Discrepancy) =>
    `${subject} ${path}: ${remark ?? `${String(planned)} → ${String(found)}`}`
  return { code, found: discrepancies.map(tell) }
}

const edit = (edits: object): Promise<unknown> => workspace.control('POST', '/edits', edits)

describe('a saved plan', () => {
  it('holds no secret and places as they were, and applies without its manifests', async () => {
    expect(text).not.toContain(password)
    workspace.manifest('')
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
    workspace.manifest(manifest)
    expect(await workspace.changes()).toEqual([])
  })

  it('applies on another machine, where files are looked for in its project', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svcsync-elsewhere-'))
    try {
      writeFileSync(join(dir, 'svcsync.yaml'), readFileSync(join(workspace.dir, 'svcsync.yaml')))
      const error = await applySaved(workspace, text, {
        dir,
        env: { ...workspace.env, LOGIN: '', PASSWORD: '' },
      }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(AuthorError)
      const { problems } = error as AuthorError
      expect(problems.map(({ code, place }) => [code, place?.line])).toEqual([
        ['SVC1202', 5],
        ['SVC1201', 12],
      ])
      expect(writesOf(workspace.emulator)).toEqual([])
      mkdirSync(join(dir, 'manifests'))
      writeFileSync(join(dir, 'manifests/city.txt'), 'Gdynia')
      expect(await applySaved(workspace, text, { dir })).toMatchObject({ outcome: 'converged' })
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it.each([
    [{ nowMs: Date.parse(madeAt) + 24 * 3_600_000 - 1 }, undefined],
    [{ nowMs: Date.parse(madeAt) + 24 * 3_600_000 }, 'SVC2105'],
    [{ maxAgeMs: 3_600_000 }, 'SVC2105'],
    [{ maxAgeMs: 3_600_001 }, undefined],
    [{ nowMs: Date.parse(madeAt) - 4 * 60_000 }, undefined],
    [{ nowMs: Date.parse(madeAt) - 6 * 60_000 }, 'SVC2105'],
  ])('has its time: %j', async (options, code) => {
    if (code === undefined) expect(await applySaved(workspace, text, options)).toMatchObject({ outcome: 'converged' })
    else expect((await refusal(options)).code).toBe(code)
  })

  it('is for one target, and says everything in which another differs', async () => {
    const { code, found } = await refusal({ addresses: { baseUrl: 'http://127.0.0.1:9' } })
    expect(code).toBe('SVC2106')
    expect(found).toEqual([`target baseUrl: ${workspace.emulator.url} → http://127.0.0.1:9`])
    const other = forgedText(text, ({ target }) => ({
      target: { ...target, apiVersion: '5.0', databases: { main: 2 } },
    }))
    expect((await refusal({}, other)).found).toEqual([
      'target apiVersion: 5.0 → 6.0',
      'target databases: main = 2 → main = 1',
    ])
  })

  it('is for one application', async () => {
    const { checksum: _, ...plan } = parsed(text)
    const { code, found } = await refusal({}, planFileText({ ...plan, application: { svcId: 'x', name: 'Reader' } }))
    expect(code).toBe('SVC2106')
    expect(found).toEqual(['application : Reader (x) → svcsync (app@svcsync)'])
  })

  it('is refused where its content is not that of its digest, although the checksum fits', async () => {
    const { checksum: _, steps, ...plan } = parsed(text)
    const other = steps.map((step) => ({ ...step, spec: { name: 'Evil' } as Json }))
    expect((await refusal({}, planFileText({ ...plan, steps: other }))).code).toBe('SVC2103')
  })
})

describe('a saved plan', () => {
  it('resolves references with what was reviewed and nothing else, though the digest is the same', async () => {
    workspace.manifest(
      'groups: [{ svcId: clerks@example.com, name: ' +
        '"${env:LOGIN}-${var:city} ${file:city.txt}" }, { svcId: g@example.com, name: "${file:city.txt}" }]',
    )
    workspace.write('other/city.txt', 'Another\n')
    const own = `${readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')}`
    workspace.write('svcsync.yaml', own.replace('databases:', 'variables: { city: Sopot }\n    databases:'))
    try {
      const plan = await savedText(workspace)
      const forged = (edit: (saved: SavedPlan['saved']) => Partial<SavedPlan['saved']>): string => {
        const { checksum: _, ...rest } = parsed(plan)
        return planFileText({ ...rest, saved: { ...rest.saved, ...edit(rest.saved) } })
      }
      const remark = 'its references would be resolved with other variables, or from another folder'
      const variables = { city: 'Rumia' }
      const found = [`group/clerks@example.com : ${remark}`]
      expect(
        await refusal(
          {},
          forged(() => ({ variables })),
        ),
      ).toEqual({ code: 'SVC2107', found })
      const elsewhere = ({ declarations }: SavedPlan['saved']) => ({
        declarations: declarations.map((each, index) => (index === 0 ? each : { ...each, file: 'other/main.yaml' })),
      })
      expect(await refusal({}, forged(elsewhere))).toEqual({
        code: 'SVC2107',
        found: [`group/g@example.com : ${remark}`],
      })
      expect(await applySaved(workspace, plan)).toMatchObject({ outcome: 'converged' })
    } finally {
      workspace.write('svcsync.yaml', own)
    }
  })

  it('is refused where a reference has lost its form: it would be sent as it stands, as a password', async () => {
    const { checksum: _, ...plan } = parsed(text)
    const { declarations } = plan.saved
    const without = JSON.parse(JSON.stringify(declarations), (_key, value) =>
      value?.reference === undefined ? value : { reference: value.reference },
    )
    const edited = planFileText({ ...plan, saved: { ...plan.saved, declarations: without } })
    expect(parsed(edited).digest).toBe(plan.digest)
    await expect(applySaved(workspace, edited)).rejects.toMatchObject({ code: 'SVC2103' })
    expect(writesOf(workspace.emulator)).toEqual([])
  })

  it('is refused where a list of changes lacks one of its sides: it would be shown as a field', async () => {
    const { checksum: _, ...plan } = parsed(text)
    const changes = plan.changes.map((change) => ({
      ...change,
      differences: change.differences.map(({ removed = [], ...each }) =>
        removed.length === 0 ? each : { ...each, removed },
      ),
    }))
    expect(JSON.stringify(changes)).not.toBe(JSON.stringify(plan.changes))
    expect((await refusal({}, planFileText({ ...plan, changes }))).code).toBe('SVC2103')
  })

  it('shows no other summary than its declarations come to, though its digest was made anew', async () => {
    const counted = ({ counts }: SavedPlan) => ({ counts: { ...counts, create: 0 } })
    const titled = ({ kinds }: SavedPlan) => ({ kinds: { ...kinds, group: 'Rooms' } })
    const found = ['plan : its summary comes out differently']
    for (const edit of [counted, titled]) {
      expect(await refusal({}, forgedText(text, edit))).toEqual({ code: 'SVC2107', found })
    }
  })

  it('tells all that was edited, field by field, and nothing of what does not matter', async () => {
    workspace.emulator.load({
      ...sampleTenant,
      users: [{ svcId: 'jan.kos@example.com', name: 'Jan' }],
      groups: [
        { svcId: 'clerks@example.com', name: 'Clerks of Gdynia' },
        { svcId: 'new@example.com', name: 'Other' },
      ],
    } as never)
    const { code, found } = await refusal()
    expect(code).toBe('SVC2107')
    expect(found).toEqual([
      'user/ewa.lis@example.com : was there, and is gone; steps refer to it',
      'group/clerks@example.com name: the live value differed from it, and is equal now (Clerks of ${file:city.txt})',
      'group/new@example.com : did not exist, and is there now',
    ])
  })
})

describe('a saved plan', () => {
  it('names the one who was let into a list, or taken out of it', async () => {
    const [group, members] = ['clerks@example.com', ['jan.kos@example.com']]
    const declared = (list: string) => `groups: [{ svcId: ${group}, name: Clerks of Gdynia, members: [${list}] }]\n`
    for (const isIn of [false, true]) {
      workspace.emulator.load({
        ...sampleTenant,
        groups: [{ svcId: group, name: 'Clerks', members: isIn ? members : [] }],
      } as never)
      workspace.manifest(declared(''))
      const plan = await savedText(workspace)
      await edit({ [isIn ? 'removeMembers' : 'addMembers']: { group, members } })
      const error: unknown = await applySaved(workspace, plan).catch((reason: unknown) => reason)
      const [who] = members.map((svcId) => [expect.objectContaining({ svcId })])
      const said = { subject: `group/${group}`, path: 'members', added: isIn ? [] : who, removed: isIn ? who : [] }
      expect(error).toMatchObject({ code: 'SVC2107', discrepancies: [said] })
    }
  })

  it('applies where what nobody declared was edited', async () => {
    await edit({ addMembers: { group: 'clerks@example.com', members: ['jan.kos@example.com'] } })
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
  })

  it('is refused where a name is no longer that of the object', async () => {
    const text = JSON.stringify(sampleTenant).replaceAll('Sample process', 'Renamed process')
    workspace.emulator.load(JSON.parse(text))
    const { code, found } = await refusal()
    expect(code).toBe('SVC2107')
    expect(found).toEqual([
      'manifests/main.yaml:7:5 : The platform has no process `Sample process`',
      'process/main/Sample application/Sample process : no longer has this address',
    ])
  })

  it('is refused where the time of an entry has begun or ended since', async () => {
    workspace.manifest(
      'groups: [{ svcId: clerks@example.com, name: Clerks, members: ' +
        '[{ svcId: jan.kos@example.com, until: 2026-01-01 }] }]',
    )
    const plan = await savedText(workspace)
    const midnight = Date.parse('2026-01-02T00:00:00Z')
    // Until 24 hours after it was made, which is that midnight.
    expect(await applySaved(workspace, plan, { nowMs: midnight - 1 })).toMatchObject({ outcome: 'converged' })
    workspace.emulator.load(sampleTenant)
    await workspace.control('DELETE', '/requests')
    const longer = planFileText({ ...parsed(plan), expiresAt: '2026-02-01T00:00:00.000Z' })
    const late = await refusal({ nowMs: midnight }, longer)
    expect(late.found[0]).toBe(
      'group/clerks@example.com members: the time of `jan.kos@example.com` ended at 2026-01-02T00:00:00Z',
    )
  })
})

describe('a saved plan', () => {
  it('says that it was applied already', async () => {
    await applySaved(workspace, text)
    await workspace.control('DELETE', '/requests')
    const error = await applySaved(workspace, text).catch((reason: unknown) => reason)
    expect((error as PlanRefusal).hint).toContain('applied already')
  })

  it.each(['', '    svcIdCase: exact\n'])('compares svcIds in capitals as its target does: %j', async (target) => {
    const users = [{ svcId: 'Ewa.Lis@Example.com', name: 'Ewa Lis' }]
    const tenant = { users, groups: [{ svcId: 'All@Example.com', name: 'All' }] }
    const own = await openWorkspace({ tenant, target })
    try {
      own.manifest('groups: [{ svcId: All@Example.com, members: [Ewa.Lis@Example.com] }]')
      const made = await savedText(own)
      const { checksum: _, ...plan } = parsed(made)
      // Digests of single changes leave no doubt about letters; older formats have none.
      const text = JSON.stringify(plan.changes).replace('"svcId":"Ewa.Lis', '"svcId":"ewa.lis')
      const lower = JSON.parse(text, (key, value) => (key === 'digest' ? undefined : value))
      expect(lower).not.toEqual(plan.changes)
      const read = () => parsed(planFileText({ ...plan, formatVersion: '1.3', changes: lower }))
      if (target !== '') expect(read).toThrow(expect.objectContaining({ code: 'SVC2103' }))
      else expect(read).not.toThrow()
      expect(await applySaved(own, made)).toMatchObject({ outcome: 'converged' })
    } finally {
      await own.close()
    }
  })

  it('is limited to what `only` selects, and asks for no more', async () => {
    const plan = await savedText(workspace, { only: ['connection/**'] })
    workspace.emulator.load({ ...sampleTenant, groups: [] } as never)
    expect(await applySaved(workspace, plan)).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(parsed(plan)).toMatchObject({ only: ['connection/**'], saved: { accounts: [], declarations: [{}] } })
  })
})

describe('a saved plan that prunes', () => {
  let pruning: Workspace
  const group = (svcId: string, members: string[] = []) => ({ svcId, name: svcId, members })
  beforeAll(async () => {
    const patterns = 'prune: { groups: ["proj-*"] }\nguards: { deletions: { max: 100, percent: 100 } }'
    pruning = await openWorkspace({ settings: patterns })
  })
  afterAll(() => pruning.close())
  beforeEach(async () => {
    const groups = [group('proj-a@x.com'), group('proj-b@x.com'), group('all@x.com', ['proj-a@x.com'])]
    pruning.emulator.load({ users: [], groups } as never)
    pruning.manifest('groups: [{ svcId: all@x.com, name: all@x.com }]\n')
    await pruning.control('DELETE', '/requests')
  })

  it('deletes what it planned to delete, and nothing that has come since', async () => {
    const plan = await savedText(pruning)
    expect(parsed(plan).saved.pruned).toHaveLength(2)
    await pruning.control('POST', '/edits', { upsertGroup: { svcId: 'proj-c@x.com', name: 'C' } })
    await applySaved(pruning, plan)
    expect(await pruning.changes()).toEqual(['delete group/proj-c@x.com'])
  })

  it('is refused where who goes has come into another list, or got other members', async () => {
    const plan = await savedText(pruning)
    await pruning.control('POST', '/edits', { addMembers: { group: 'proj-b@x.com', members: ['all@x.com'] } })
    await pruning.control('POST', '/edits', { addMembers: { group: 'all@x.com', members: ['proj-b@x.com'] } })
    const error = (await applySaved(pruning, plan).catch((reason: unknown) => reason)) as PlanRefusal
    expect(error.discrepancies).toMatchObject([
      { subject: 'group/all@x.com', path: 'members', added: [{ svcId: 'proj-b@x.com' }] },
      { subject: 'group/proj-b@x.com', path: 'members', added: [{ svcId: 'all@x.com' }] },
    ])
    expect(writesOf(pruning.emulator)).toEqual([])
  })
})

describe('a saved plan of a target with overrides', () => {
  it('says what the overrides say', async () => {
    const target = '    overrides: [overrides]'
    const other = await openWorkspace({ tenant: sampleTenant, target })
    try {
      other.manifest(`processes:
  - process: Sample process
    privileges: { Start: [jan.kos@example.com], Modify: [ewa.lis@example.com] }
    constants: [{ name: Limit, common: "1", test: "2" }]
`)
      other.write(
        'overrides/test.yaml',
        `processes:
  - process: Sample process
    privileges: { Start: [ewa.lis@example.com] }
    constants: [{ name: Limit, common: "5" }]
`,
      )
      const direct = await other.changes()
      const plan = await savedText(other)
      expect(await applySaved(other, plan)).toMatchObject({ outcome: 'converged' })
      expect(direct).toHaveLength(2)
      expect(await other.changes()).toEqual([])
    } finally {
      await other.close()
    }
  })
})

describe('plan.schema.json', () => {
  it('describes every property of a saved plan', () => {
    const validate = documentValidator(closedPlanSchema)
    validate(JSON.parse(text))
    expect(validate.errors ?? []).toEqual([])
  })
})

describe('saved items', () => {
  it('cannot be mistaken: no kind has a field called `reference`', () => {
    const names = (schema: Schema): string[] => {
      if (schema.type === 'array') return names(schema.items)
      if (schema.type === 'shorthand') return names(schema.long)
      if (schema.type !== 'object') return []
      return Object.entries(schema.properties).flatMap(([name, part]) => [name, ...names(part)])
    }
    const all = kinds.flatMap(({ sections }) => sections.flatMap(({ schema }) => names(schema)))
    expect(all).toContain('password')
    expect(all).not.toContain('reference')
  })
})
