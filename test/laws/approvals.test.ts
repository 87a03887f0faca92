// Laws of approvals: what was approved in parts goes as a whole, nothing else does, and a digest tells what is sent
// from what rests on it.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../src/core/model/json.ts'
import type { ChangeDocument, PlanDocument } from '../../src/core/plan/plan-document.ts'
import { checkApproved } from '../../src/core/saved/approvals.ts'
import { AuthorError } from '../../src/errors/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, situations, worlds } from './arbitraries.ts'
import { factsBetween, factsOf } from './facts.ts'
import { tryLaw } from './law-runs.ts'
import { declaring, edited, type Item, nothing, secrets, tenantOf, type World, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

/**
 * Another state of the manifests: each item as it was, gone, or in part or whole as in other manifests; and some of
 * those besides.
 */
const fates = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.constant('kept') }, fc.constantFrom('gone', 'other', 'mixed')),
  {
    minLength: 12,
    maxLength: 12,
  },
)
function changed(items: readonly Item[], others: readonly Item[], fate: readonly string[]): Item[] {
  const keyOf = ({ section, item }: Item): string =>
    [section, item.svcId ?? item.group ?? item.name ?? item.person, item.from, ...Object.keys(item).slice(0, 2)].join(
      ' ',
    )
  const known = new Map(others.map((other) => [keyOf(other), other.item]))
  return items.flatMap((given, index): Item[] => {
    const { section, item } = given
    const other = known.get(keyOf(given)) ?? item
    const fields = Object.keys(item).filter((_, at) => (at + index) % 2 === 0)
    const mixed = { ...other, ...Object.fromEntries(fields.map((field) => [field, item[field]])) }
    const become = { kept: [item], gone: [], other: [other], mixed: [mixed] }[fate[index % fate.length] ?? 'kept'] ?? []
    return become.map((each) => ({ section, item: each }))
  })
}

it('lets nothing be written that no approved plan would have written, whatever was changed since', async () => {
  const found = { went: 0, refused: 0 }
  const cases = situations.chain((given) =>
    fc.record({
      ...{ given: fc.constant(given), others: manifests(given.live) },
      ...{ fates, edit: fc.option(edits, { freq: 1 }), both: fc.boolean() },
    }),
  )
  const written = async (live: World, items: readonly Item[]): Promise<string[]> => {
    workspace.emulator.load(tenantOf(live))
    writeManifests(workspace, [items])
    const before = factsOf(workspace.emulator)
    // What refers to nobody who is there fails.
    await workspace.apply()
    return factsBetween(before, factsOf(workspace.emulator))
  }
  await tryLaw(
    fc.asyncProperty(cases, async ({ given: { live, items }, others, fates, edit, both }) => {
      const [later, now] = [changed(items, others, fates), edit === null ? live : edit(live)]
      const requests = both ? [items, others] : [items]
      const approved: PlanDocument[] = []
      for (const each of requests) {
        const createdAt = `2026-11-23T0${approved.length}:00:00.000Z`
        approved.push({ ...(await wholePlanOf(live, each)), createdAt })
      }
      const plan = await orNone(wholePlanOf(now, later))
      if (plan === undefined || plan.changes.length === 0) return
      if (refusedIn(plan, ...approved).length > 0) {
        found.refused++
        return
      }
      found.went++
      const mine = await written(now, later)
      const seen = new Set<string>()
      for (const each of requests) for (const fact of await written(live, each)) seen.add(fact)
      expect(mine.filter((fact) => !seen.has(fact))).toEqual([])
    }),
    0.5,
  )
  // Few cases may be of one sort.
  if (found.went + found.refused > 20) expect(Math.min(found.went, found.refused)).toBeGreaterThan(0)
})

async function wholePlanOf(live: World, items: readonly Item[]): Promise<PlanDocument> {
  workspace.emulator.load(tenantOf(live))
  writeManifests(workspace, [items])
  return (await workspace.plan()).document
}

/** Without who gains what: two changes may do together what neither does alone. */
async function planOf(live: World, items: readonly Item[]): Promise<PlanDocument> {
  const { access: _, ...document } = await wholePlanOf(live, items)
  return { ...document, guards: [] }
}

/** A part of the manifests may not be sound by itself. */
const orNone = (plan: Promise<PlanDocument>): Promise<PlanDocument | undefined> =>
  plan.catch((error: unknown) => {
    if (error instanceof AuthorError) return undefined
    throw error
  })

const refusedIn = (now: PlanDocument, ...approved: readonly PlanDocument[]) =>
  checkApproved(now, approved, 'ignore-case').unseen
const subjects = (found: readonly { readonly subject: string }[]): string[] =>
  [...new Set(found.map(({ subject }) => subject))].sort()

it('lets the union of two plans go if they touch different objects, and refuses exactly what is outside', async () => {
  let went = 0
  await tryLaw(
    fc.asyncProperty(situations, fc.func(fc.boolean()), async ({ live, items }, isFirst) => {
      const both = await planOf(live, items)
      expect(refusedIn(both, both)).toEqual([])
      for (const left of both.changes) {
        const rest = { ...both, changes: both.changes.filter((each) => each !== left) }
        expect(subjects(refusedIn(both, rest))).toEqual([left.address])
      }
      const of = (first: boolean) =>
        orNone(
          planOf(
            live,
            items.filter((item) => isFirst(item) === first),
          ),
        )
      const [a, b] = [await of(true), await of(false)]
      if (a === undefined || b === undefined) return
      const refused = subjects(refusedIn(both, a, b))
      const seen = new Set([...a.changes, ...b.changes].map(({ digest }) => digest))
      const others = both.changes.filter(({ digest }) => !seen.has(digest)).map(({ address }) => address)
      expect(others).toEqual(expect.arrayContaining(refused))
      if (refused.length === 0 && a.changes.length > 0 && b.changes.length > 0) went++
    }),
    0.5,
  )
  expect(went).toBeGreaterThan(0)
})

/** Somebody edits the installation: every name and value, or one part of it, which becomes that of another one. */
const edits: fc.Arbitrary<(live: World) => World> = fc.oneof(
  fc.constant((live: World): World => {
    const renamed = (list: World['users']) => list.map((each) => ({ ...each, name: 'by hand' }))
    const constants = live.constants.map((each) => ({ ...each, common: 'by hand', test: 'by hand' }))
    return { ...live, users: renamed(live.users), groups: renamed(live.groups), constants }
  }),
  fc.tuple(worlds, fc.constantFrom(...(Object.keys(nothing) as (keyof World)[]))).map(
    ([other, what]) =>
      (live: World) =>
        edited(live, other, what),
  ),
)

/** Each value, and each entry of a list, that differs. */
function rowsOf({ address, action, differences }: ChangeDocument): string[] {
  const empty = (value: unknown): unknown => (value === '' ? null : (value ?? null))
  return differences
    .flatMap(({ path, before, after, masked, added = [], removed = [] }) => [
      ...(added.length + removed.length > 0
        ? []
        : [[address, action, path, empty(before), after ?? null, masked ?? false]]),
      ...added.map((element) => [address, path, '+', element]),
      ...removed.map((element) => [address, path, '-', element]),
    ])
    .map((row) => canonicalJson(row as unknown as Json).toLowerCase())
}

it('refuses exactly what rests on something else, once the platform was edited', async () => {
  const found = { refused: 0, kept: 0 }
  await tryLaw(
    fc.asyncProperty(situations, edits, async ({ live, items }, edit) => {
      const approved = await planOf(live, items)
      const now = await planOf(edit(live), items)
      const refused = new Set(subjects(refusedIn(now, approved)))
      const [digests, rows] = [
        new Set(approved.changes.map(({ digest }) => digest)),
        new Set(approved.changes.flatMap(rowsOf)),
      ]
      for (const change of now.changes) {
        const isRefused = refused.has(change.address)
        const isOther = change.action !== 'delete' && rowsOf(change).some((row) => !rows.has(row))
        if (isOther) expect(isRefused).toBe(true)
        else if (digests.has(change.digest)) expect(isRefused).toBe(false)
        else if (change.action === 'delete') expect(isRefused).toBe(true)
        found[isRefused ? 'refused' : 'kept']++
      }
    }),
    1,
  )
  expect(Math.min(found.refused, found.kept)).toBeGreaterThan(0)
})

/** A pull request that changes and takes away, and deletes nothing. */
const requests: fc.Arbitrary<(live: World) => World> = fc
  .tuple(worlds, fc.constantFrom<(keyof World)[]>('users', 'groups', 'application', 'process', 'formType', 'constants'))
  .map(([other, what]) => (live: World) => {
    if (what !== 'constants') return edited(live, other, what)
    const values = new Map(other.constants.map(({ name, common = null }) => [name, { common }]))
    return { ...live, constants: live.constants.map((each) => ({ ...each, ...values.get(each.name) })) }
  })

it('lets nothing of before come back that a later one took away, until it is approved again', async () => {
  let found = 0
  await tryLaw(
    fc.asyncProperty(worlds, fc.array(requests, { minLength: 1, maxLength: 3 }), fc.nat(), async (first, all, back) => {
      const states = [first]
      const approved: PlanDocument[] = []
      const planned = async (live: World, next: World): Promise<PlanDocument> => ({
        ...(await planOf(live, declaring(next))),
        createdAt: `2026-11-23T0${approved.length}:00:00.000Z`,
      })
      // The last one leads back to where the first one began.
      for (const request of [...all, () => first]) {
        const live = states.at(-1) as World
        const next = request(live)
        approved.push(await planned(live, next))
        expect(refusedIn(approved.at(-1) as PlanDocument, ...approved)).toEqual([])
        states.push(next)
      }
      // What is as it was once, and was pushed without a pull request.
      const made = back % all.length
      const again = await planned(first, states[1 + made] as World)
      const pathsOf = (plans: readonly PlanDocument[]): string[] =>
        plans.flatMap(({ changes }) =>
          changes.flatMap(({ address, differences }) => differences.map(({ path }) => `${address} ${path}`)),
        )
      // A field that a user had no value for is not declared, and nothing takes it back.
      const taken = new Set(pathsOf(approved.slice(made + 1)))
      const rows = pathsOf([again]).filter((path) => taken.has(path))
      const refused = refusedIn(again, ...[...approved].reverse()).map(({ subject, path }) => `${subject} ${path}`)
      expect(rows.filter((row) => !refused.includes(row))).toEqual([])
      expect(refusedIn(again, ...approved, again)).toEqual([])
      found += rows.length
    }),
    0.5,
  )
  expect(found).toBeGreaterThan(0)
})

it('gives a change one digest for what is sent and what it rests on, whatever else is planned', async () => {
  const contents = new Map<string, string>()
  const digests = new Map<string, string>()
  const note = ({ changes, steps }: PlanDocument): void => {
    for (const change of changes) {
      const own = steps.filter(({ address }) => address === change.address)
      const [{ at, liveDigest } = { at: null, liveDigest: '' }] = own
      const sent = Object.assign({}, ...own.map(({ spec }) => spec ?? {}))
      const rows = rowsOf(change).sort()
      const content = canonicalJson([
        change.address,
        change.action,
        at,
        liveDigest,
        sent,
        ...(change.action === 'delete' ? [] : rows),
      ])
      const digest = change.digest as string
      expect(contents.get(digest) ?? content).toBe(content)
      expect(digests.get(content) ?? digest).toBe(digest)
      contents.set(digest, content)
      digests.set(content, digest)
    }
  }
  await tryLaw(
    fc.asyncProperty(situations, edits, fc.nat(), async ({ live, items }, edit, at) => {
      note(await planOf(live, items))
      note(await planOf(edit(live), items))
      const some = await orNone(planOf(live, [...items].reverse().slice(items.length === 0 ? 0 : at % items.length)))
      if (some !== undefined) note(some)
    }),
    1,
  )
})
