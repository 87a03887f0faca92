// The law of undoing on every sort of installation: what one apply did after another is taken back, but for what the
// undo lists.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { behaviourChangesShape, defaultBehaviour } from '../../src/emulator/behaviour.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, worlds } from './arbitraries.ts'
import { factsBetween, factsOf } from './facts.ts'
import { skipSlips, tryLaw } from './law-runs.ts'
import { leftNames } from './undo-left.ts'
import { type Fields, type Item, secrets, tenantOf, writeManifests } from './world.ts'

const workspaces: Workspace[] = []
beforeAll(async () => {
  const settings = 'settings: { retry: { attempts: 3, maxDelay: 5ms } }'
  for (const version of ['6.0', '5.0']) {
    const workspace = await openWorkspace({ env: secrets, settings, target: `    apiVersion: "${version}"` })
    workspace.baseManifest('')
    workspaces.push(workspace)
  }
})
afterAll(() => Promise.all(workspaces.map((workspace) => workspace.close())))

/** Each switch of the emulator, at each of its words: new ones come along by themselves. */
const properties = behaviourChangesShape.schema.properties as Record<string, { enum?: unknown[]; type?: string }>
const switches = Object.entries(properties).flatMap(([name, schema]) =>
  (schema.type === 'boolean' ? [true] : (schema.enum ?? []).slice(1)).map((word) => ({ [name]: word })),
)
const untold = fc.constantFrom(
  {},
  { privilegeLevel: 'omitted' },
  { privilegeLevel: 'omitted', privilegeCompany: 'omitted' },
)
const behaviours = fc.tuple(fc.constantFrom(...switches), untold).map(([one, other]) => ({ ...one, ...other }))

interface Written {
  readonly live: Parameters<typeof tenantOf>[0]
  readonly before: readonly Item[]
  readonly items: readonly Item[]
}

/** Later installations have another field instead, and refuse this one (SVC1321). */
const laterSettings = (sql: object): Fields =>
  Object.fromEntries(
    Object.entries(sql).map(([environment, settings]: [string, Fields | null]) => {
      if (settings?.integratedAuthentication === undefined) return [environment, settings]
      const { integratedAuthentication: isIntegrated, ...rest } = settings
      return [
        environment,
        { ...rest, connectionType: isIntegrated ? 'WindowsAuth' : 'SqlLogin', trustCertificate: false },
      ]
    }),
  )

const laterItems = (items: readonly Item[]): Item[] =>
  items.map((each) =>
    each.section === 'connections'
      ? { ...each, item: { ...each.item, sql: laterSettings(each.item.sql as object) } }
      : each,
  )

const asLater = ({ live, before, items }: Written): Written => ({
  live: {
    ...live,
    connections: live.connections.map((each) => ({ ...each, sql: laterSettings(each.sql as object) })),
  } as never,
  before: laterItems(before),
  items: laterItems(items),
})

const cases = worlds
  .chain((live) =>
    fc.record({
      live: fc.constant(live),
      before: manifests(live),
      items: manifests(live),
      behaviour: behaviours,
      former: fc.boolean(),
      hasBase: fc.boolean(),
    }),
  )
  .map((each) => ('sqlConnections' in each.behaviour && !each.former ? { ...each, ...asLater(each) } : each))

it('gives the state before on every installation, but for what the undo lists', async () => {
  const found = { undone: 0, left: 0, untold: 0 }
  await tryLaw(
    fc.asyncProperty(cases, async ({ live, before, items, behaviour, former, hasBase }) => {
      const workspace = workspaces[former ? 1 : 0] as Workspace
      workspace.emulator.load({ ...tenantOf(live), behaviour: { ...defaultBehaviour, ...behaviour } } as never)
      const facts = () => factsOf(workspace.emulator)
      for (const file of ['a', 'b']) rmSync(join(workspace.dir, `${file}.jsonl`), { force: true })
      writeManifests(workspace, [before])
      const first = await workspace.apply()
      // An incomplete apply is no base.
      const run = hasBase && first.outcome === 'converged' ? ({ base: 'ledger' } as const) : {}
      writeManifests(workspace, [before], 'base/manifests')
      writeManifests(workspace, [items])
      const known = facts()
      const { plan } = await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true }, run).catch(skipSlips)
      if (plan.steps.length === 0) return
      const { undone, report } = await undo(workspace, 'a.jsonl', 'b.jsonl')
      const left = [...leftNames(undone.document.warnings), ...report.verified.unequal.map(({ address }) => address)]
      const unequal = report.verified.unequal.map(({ address }) => address.slice(address.lastIndexOf('/') + 1))
      const trouble = report.steps.filter(({ outcome }) => outcome !== 'done' && outcome !== 'unchanged')
      // Such a platform takes no user again that had neither a name nor an email: the report says so.
      if ('newUsers' in behaviour && trouble.some(({ outcome }) => outcome === 'failed')) return
      expect(trouble).toEqual([])
      const other = factsBetween(known, facts()).filter(
        (fact) => ![...left, ...unequal].some((name) => fact.includes(name)),
      )
      expect(other.length === 0 ? [] : [...other, ...undone.document.warnings.map(({ message }) => message)]).toEqual(
        [],
      )
      const isDone = report.outcome === 'converged' || report.outcome === 'nothing-to-do'
      expect(isDone).toBe(left.length === 0)
      found.undone++
      if (left.length > 0) found.left++
      if ('privilegeLevel' in behaviour) found.untold++
    }),
    0.5,
  )
  expect(found.undone).toBeGreaterThan(0)
})
