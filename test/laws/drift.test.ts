// The law of drift: after an apply there is none; and of what somebody changes by hand then it names exactly that where
// it is declared, as changed on the platform, and an apply takes back that and nothing else.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CausedElement, PlanDocument } from '../../src/core/plan/plan-document.ts'
import { defaultBehaviour } from '../../src/emulator/behaviour.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { behaviours } from './apply-cases.ts'
import { situations } from './arbitraries.ts'
import { factsOf } from './facts.ts'
import { type HandEdit, handEdits } from './hand-edits.ts'
import { tryLaw } from './law-runs.ts'
import { withoutPrivileges } from './without-privileges.ts'
import { type Item, secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, settings: 'guards: { removals: { max: 1000, percent: 100 } }' })
  workspace.baseManifest('')
})
afterAll(() => workspace.close())

type Told = Pick<HandEdit, 'of' | 'path'> & { masked: boolean; entry: string | undefined; why: string | null }

/** Each value, and each entry that comes or goes. `of`: see HandEdit. */
function toldIn(changes: PlanDocument['changes'], of: string): Told[] {
  return changes.flatMap(({ address, differences }) =>
    differences.flatMap(({ path, masked = false, added = [], removed = [], cause = null }): Told[] => {
      const told = { of: address.replaceAll('\\/', '/').slice(-of.length), path, masked }
      const keyed = (each: CausedElement) => ({ ...each, key: `${each.svcId} ${each.level} ${each.item}` })
      const [come, gone] = [added.map(keyed), removed.map(keyed)]
      if (come.length + gone.length === 0) return [{ ...told, entry: undefined, why: cause }]
      // An entry that is removed with another, and given anew, stays.
      const isIn = (list: typeof come, { key }: (typeof come)[number]) => list.some((each) => each.key === key)
      const net = [...come.filter((each) => !isIn(gone, each)), ...gone.filter((each) => !isIn(come, each))]
      return net.map((each) => ({ ...told, entry: each.svcId ?? each.item, why: each.cause ?? cause }))
    }),
  )
}

it('names exactly what was changed by hand of what is declared, and an apply takes that back', async () => {
  const found = { named: 0, silent: 0 }
  const hands = fc.array(fc.nat(), { minLength: 3, maxLength: 3 })
  await tryLaw(
    fc.asyncProperty(
      situations,
      hands,
      behaviours,
      fc.boolean(),
      async ({ live, items }, hands, behaviour, hasBase) => {
        const run = { base: hasBase ? ('folder' as const) : undefined }
        workspace.emulator.load(tenantOf(live))
        workspace.emulator.setBehaviour(behaviour)
        writeManifests(workspace, [items])
        writeManifests(workspace, [items], 'base/manifests')
        await workspace.apply()
        expect(await workspace.changes(run)).toEqual([])
        for (const hand of hands) {
          const before = factsOf(workspace.emulator)
          const state = workspace.emulator.state() as Tenant
          const edits = handEdits(state, items)
          const edit = edits[hand % edits.length] as (typeof edits)[number]
          edit.make()
          workspace.emulator.load(state)
          const { changes, unreadable, warnings } = (await workspace.plan(run)).document
          expect(unreadable).toEqual([])
          if (!edit.isDeclared) {
            expect([edit, changes]).toEqual([edit, []])
            found.silent++
            continue
          }
          const told = toldIn(changes, edit.of)
          const { of, path, entry } = edit
          // The value behind a reference is unknown.
          const masked = told[0]?.masked === true
          expect(told).toEqual([{ of, path, entry, why: hasBase && !masked ? 'live' : null, masked }])
          expect((await workspace.apply()).outcome).toBe('converged')
          // A password that no manifest declares goes where an update replaces the connection: the plan warns of it.
          const isWarned = warnings.some(({ code }) => code === 'SVC1318')
          const isKept = (fact: string): boolean => !(isWarned && / password = /.test(fact))
          expect([...factsOf(workspace.emulator)].filter(isKept).sort()).toEqual([...before].filter(isKept).sort())
          found.named++
        }
      },
    ),
    0.25,
  )
  // Few cases may be of one sort.
  if (found.named + found.silent > 20) expect(Math.min(found.named, found.silent)).toBeGreaterThan(0)
})

it('names who came into a list without levels, or who went, if it is declared whole, else lists them', async () => {
  const found = { named: 0, listed: 0 }
  const hands = fc.record({
    account: fc.constantFrom('u0@example.com', 'g0@example.com', 'stranger@example.com'),
    comes: fc.boolean(),
  })
  await tryLaw(
    fc.asyncProperty(situations, hands, fc.boolean(), async ({ live }, { account, comes }, isWhole) => {
      const privileges = { Start: ['u0@example.com'], Administrator: ['g0@example.com'] }
      const manage = { privileges: isWhole ? 'whole' : 'exclusive' }
      const process: Item = { section: 'processes', item: { process: 'P', privileges, manage } }
      const accounts = ['u0@example.com', 'g0@example.com', 'stranger@example.com'].map((svcId) => ({
        svcId,
        name: svcId,
      }))
      const known = new Set(live.users.map(({ svcId }) => svcId))
      const tenant = withoutPrivileges({
        ...live,
        groups: live.groups.filter(({ svcId }) => svcId !== 'g0@example.com'),
        users: [...live.users, ...accounts.filter(({ svcId }) => !known.has(svcId))],
      })
      workspace.emulator.load({ ...tenant, behaviour: { ...defaultBehaviour, privilegeLevel: 'omitted' } } as never)
      writeManifests(workspace, [[process]])
      writeManifests(workspace, [[process]], 'base/manifests')
      await workspace.apply()
      const run = { base: 'folder' as const }
      expect(await workspace.changes(run)).toEqual([])
      const state = JSON.parse(JSON.stringify(workspace.emulator.state())) as Tenant
      const process0 = state.databases?.[0]?.applications?.[0]?.processes?.[0]
      const list = (process0?.privileges ?? []) as { svcId: string; level: string }[]
      const isThere = list.some(({ svcId }) => svcId === account)
      if (comes === isThere) return
      if (comes) list.push({ svcId: account, level: 'Modify' })
      else list.splice(0, list.length, ...list.filter(({ svcId }) => svcId !== account))
      workspace.emulator.load({ ...state, behaviour: { ...defaultBehaviour, privilegeLevel: 'omitted' } } as never)
      const { document } = await workspace.plan(run)
      const told = toldIn(document.changes, 'P').map(({ entry, why }) => [entry, why])
      const left =
        document.unlistedLevels?.untold?.listed.flatMap(({ accounts }) => accounts.map(({ svcId }) => svcId)) ?? []
      if (comes && !isWhole) {
        expect([told, left.includes(account)]).toEqual([[], true])
        found.listed++
      } else {
        expect(told).toEqual([[account, 'live']])
        expect((await workspace.apply()).outcome).toBe('converged')
        expect(await workspace.changes(run)).toEqual([])
        found.named++
      }
    }),
    0.5,
  )
  if (found.named + found.listed > 10) expect(Math.min(found.named, found.listed)).toBeGreaterThan(0)
})
