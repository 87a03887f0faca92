// The law of the smallest change: after the edit that was chosen, and an apply, the platform's own state says yes or no
// as it was asked for, and nobody else has gained or lost anything that was not named.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { smallestCuts } from '../../src/core/access/smallest-cut.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { OperatorError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { accessChanges, companyOf } from '../../src/runs/access/change-access-run.ts'
import { editAccepted } from '../../src/runs/edit/accept-run.ts'
import { openForEdit, type ProjectForEdit } from '../../src/runs/edit/open-for-edit.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { readUndeclared } from '../../src/runs/plan/read-undeclared.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations as all } from './arbitraries.ts'
import { holds } from './holds.ts'
import { tryLaw } from './law-runs.ts'
import {
  accountIds,
  applicationLevels,
  companies,
  groupIds,
  managedLevels,
  secrets,
  tenantOf,
  userIds,
  writeManifests,
} from './world.ts'

/** Nobody stands in for anybody: that is walked by the platform's own state, which `holds` does not. */
const situations = all.map(({ live, items }) => ({
  live: { ...live, substitutions: [] },
  items: items.filter(({ section }) => section !== 'substitutions'),
}))

const everything: Readonly<Record<string, readonly string[]>> = {
  'application/main/A': applicationLevels,
  'process/main/A/P': [...managedLevels, 'ManageArchive'],
  'process/main/A/P/workflow/W/form-type/F': [...managedLevels, 'ManageArchive'],
  ...Object.fromEntries(groupIds.map((id) => [`group/${id}`, ['owner']])),
}

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'guards: { removals: { max: 1000, percent: 100 } }',
  })
})
afterAll(() => workspace.close())

const entry = (subject: string, level: string, address: string, company: string | null): AccessEntry => {
  return { subject, level, address, company, via: [], kind: level === 'owner' ? 'owner' : 'privilege' }
}
const lower = (svcId: string): string => svcId.toLowerCase()
const keyOf = ({ subject, level, address, company }: AccessEntry): string =>
  JSON.stringify([String(subject).toLowerCase(), level, address, company])

const everybody = [...userIds, ...accountIds].flatMap((subject) =>
  Object.entries(everything).flatMap(([address, levels]) =>
    levels.flatMap((level) =>
      (level === 'owner' ? [null] : [null, ...companies]).map((company) => entry(subject, level, address, company)),
    ),
  ),
)

/** Everybody's access in the platform's state. */
function heldIn(tenant: Tenant): ReadonlySet<string> {
  return new Set(everybody.filter((each) => holds(tenant, each)).map(keyOf))
}

type Asked = Omit<Parameters<typeof accessChanges>[1], 'company'> & { readonly company: string | null }

async function change(asked: Asked, is: 'granted' | 'revoked', choose: number) {
  const project = openForEdit({
    ...{ project: join(workspace.dir, 'svcsync.yaml'), cwd: workspace.dir, env: workspace.env, kinds },
    ...{ needCredentials: false, nowMs: Date.parse('2026-01-01T00:00:00Z') },
  })
  const opened = await withPolicies(project.targets[0])
  const client = connect(workspace.open().project, {
    version: 'test',
    env: {},
    timeoutMs: undefined,
    clock: undefined,
  })
  try {
    const { plan, reads } = await workspace.plan()
    const { changes } = await readUndeclared(client, opened, { ...plan, reads })
    const object = changes.find(({ address }) => address === asked.object)
    const isLimited = asked.company !== null && object !== undefined
    const company = isLimited ? await companyOf(client, object, asked.level, asked.company) : null
    const { found } = await accessChanges(changes, { ...asked, company }, is, opened, { licensed: () => null })
    const way = found[choose % Math.max(1, found.length)]
    if (way === undefined) return undefined
    const edited = editedOrRefused(project, way)
    for (const { path, after } of edited?.files ?? []) writeFileSync(path, after)
    return edited && way
  } finally {
    await client.close()
  }
}

/** Undefined: the editor says why, as of an account that is declared absent, and nothing is written. */
function editedOrRefused(
  project: ProjectForEdit,
  { taken }: Awaited<ReturnType<typeof accessChanges>>['found'][number],
) {
  try {
    return editAccepted(project, { taken, refused: [], pending: 0 }).edited
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'SVC2301') return undefined
    throw error
  }
}

/**
 * Possible questions: an entry that an account lacks, or has; first one that another account has, too, perhaps through
 * a group.
 */
function askable(before: ReadonlySet<string>, known: ReadonlySet<string>, is: 'granted' | 'revoked') {
  const open = everybody.filter(
    (each) =>
      before.has(keyOf(each)) === (is === 'revoked') &&
      // No level of an application is limited to a company.
      (each.company === null || each.address.startsWith('process/')) &&
      known.has(lower(String(each.subject))),
  )
  const likely = open.filter(({ level, address }) =>
    everybody.some((each) => each.level === level && each.address === address && before.has(keyOf(each))),
  )
  return likely.length > 0 ? likely : open
}

it.each(['granted', 'revoked'] as const)('holds for what is %s', async (is) => {
  const seen = { edits: 0, ways: new Set<string>(), several: 0, limited: 0 }
  const asked = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 4, maxLength: 4 })
  await tryLaw(
    fc.asyncProperty(situations, asked, async ({ live, items }, questions) => {
      workspace.emulator.load(tenantOf(live))
      rmSync(join(workspace.dir, 'manifests'), { recursive: true, force: true })
      writeManifests(workspace, [items])
      const { report } = await workspace.run()
      if (!/^(converged|nothing-to-do)$/.test(report.outcome)) return
      const state = (await workspace.control('GET', '/state')) as Tenant
      // The command tells of others that nobody knows them.
      const known = new Set([...(state.users ?? []).map(({ svcId }) => String(svcId)), ...accountIds].map(lower))
      let before = heldIn(state)
      for (const [number, choose] of questions) {
        const pool = askable(before, known, is)
        const {
          subject: person,
          level,
          address: object,
          company = null,
        } = pool[number % Math.max(1, pool.length)] ?? {}
        if (person == null || level == null || object === undefined) continue
        const way = await change({ person, level, object, company }, is, choose)
        if (way === undefined) continue
        const applied = (await workspace.run()).report
        expect(applied.outcome).toMatch(/^(converged|nothing-to-do)$/)
        const after = heldIn((await workspace.control('GET', '/state')) as Tenant)
        const meant = keyOf(entry(person, level, object, company))
        expect([meant, after.has(meant)]).toEqual([meant, is === 'granted'])
        const named = [...way.others, ...way.besides, ...way.lost, ...way.perhaps]
        // An entry for all companies holds for each.
        const told = new Set(
          [entry(person, level, object, company), ...named].flatMap((each) =>
            (each.company === null ? [null, ...companies] : [each.company]).map((company) =>
              keyOf({ ...each, company }),
            ),
          ),
        )
        const moved = [...before].filter((key) => !after.has(key)).concat([...after].filter((key) => !before.has(key)))
        expect(moved.filter((key) => !told.has(key))).toEqual([])
        before = after
        seen.edits++
        if (company !== null) seen.limited++
        seen.ways.add(way.way)
        if (way.edits.length > 1) seen.several++
      }
    }),
    1,
  )
  expect(seen.edits).toBeGreaterThan(4)
  expect(seen.limited).toBeGreaterThan(0)
  expect([...seen.ways].sort()).toEqual(is === 'granted' ? expect.arrayContaining(['direct', 'group']) : ['cut'])
})

it('cuts with as few entries as any set of them could', () => {
  const edges = fc.array(
    fc.record({
      from: fc.integer({ min: 0, max: 4 }),
      to: fc.integer({ min: 1, max: 5 }),
      isFixed: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 10 },
  )
  const leads = (all: readonly { readonly from: number; readonly to: number }[]): boolean => {
    const found = new Set([0])
    for (const node of found) for (const { from, to } of all) if (from === node) found.add(to)
    return found.has(5)
  }
  return tryLaw(
    fc.asyncProperty(edges, async (all) => {
      const free = all.filter(({ isFixed }) => !isFixed)
      const subsets = Array.from({ length: 2 ** free.length }, (_, bits) =>
        free.filter((__, at) => (bits >> at) % 2 === 1),
      )
      const enough = subsets.filter((cut) => !leads(all.filter((edge) => !cut.includes(edge))))
      const found = smallestCuts(all, 0, 5)
      expect(found === undefined).toBe(enough.length === 0)
      if (found === undefined) return
      const fewest = Math.min(...enough.map(({ length }) => length))
      for (const cut of [found.near, found.far]) {
        expect([cut.length, cut.some(({ isFixed }) => isFixed)]).toEqual([fewest, false])
        expect(leads(all.filter((edge) => !cut.includes(edge)))).toBe(false)
      }
    }),
    4,
  )
})
