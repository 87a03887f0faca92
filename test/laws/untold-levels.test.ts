// The law of lists without levels: what is applied after what a ledger knows leaves the same there as on an
// installation that tells levels, needs nothing afterwards, and is taken back as it is there.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultBehaviour } from '../../src/emulator/behaviour.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, worlds } from './arbitraries.ts'
import { factsOf } from './facts.ts'
import { skipSlips, tryLaw } from './law-runs.ts'
import { leftNames } from './undo-left.ts'
import { withoutPrivileges } from './without-privileges.ts'
import { type Item, secrets, writeManifests } from './world.ts'

const told: Workspace[] = []
const untold: Workspace[] = []
beforeAll(async () => {
  for (const version of ['6.0', '5.0']) {
    for (const [behaviour, into] of [
      [{}, told],
      [{ privilegeLevel: 'omitted' }, untold],
    ] as const) {
      const settings = 'guards: { removals: { max: 1000, percent: 100 } }'
      const target = `    apiVersion: "${version}"`
      into.push(await openWorkspace({ env: secrets, behaviour, settings, target }))
      into.at(-1)?.baseManifest('')
    }
  }
})
afterAll(() => Promise.all([...told, ...untold].map((workspace) => workspace.close())))

const privilegesIn = ({ emulator }: Workspace): string[] =>
  [...factsOf(emulator)].filter((fact) => fact.includes('privileges')).sort()

const run = { base: 'ledger' } as const
const cases = worlds.chain((live) =>
  fc.record({ live: fc.constant(live), first: manifests(live), second: manifests(live), former: fc.boolean() }),
)

async function applied(workspace: Workspace, before: readonly Item[], items: readonly Item[]): Promise<string> {
  writeManifests(workspace, [before], 'base/manifests')
  writeManifests(workspace, [items])
  rmSync(join(workspace.dir, 'a.jsonl'), { force: true })
  const { report } = await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true }, run).catch(skipSlips)
  return report?.outcome ?? ''
}

it('leaves what an installation leaves that tells levels, and needs nothing then', async () => {
  let same = 0
  await tryLaw(
    fc.asyncProperty(cases, async ({ live, first, second, former }) => {
      const pair = [told, untold].map((each) => each[former ? 1 : 0] as Workspace)
      const outcomes: string[] = []
      for (const [index, workspace] of pair.entries()) {
        const behaviour = index === 0 ? {} : { privilegeLevel: 'omitted' }
        workspace.emulator.load({
          ...withoutPrivileges(live),
          behaviour: { ...defaultBehaviour, ...behaviour },
        } as never)
        outcomes.push(await applied(workspace, [], first))
        const before = privilegesIn(workspace)
        outcomes.push(await applied(workspace, first, second))
        if (index === 0) continue
        // The manifests of the plan that follows.
        writeManifests(workspace, [second], 'base/manifests')
        const isDone = outcomes.slice(2).every((each) => each === 'converged' || each === 'nothing-to-do')
        if (isDone) expect(await workspace.changes(run)).toEqual([])
        if (!isDone || outcomes.at(-1) === 'nothing-to-do') continue
        const after = privilegesIn(workspace)
        rmSync(join(workspace.dir, 'b.jsonl'), { force: true })
        const { undone } = await undo(workspace, 'a.jsonl', 'b.jsonl')
        const left = leftNames(undone.document.warnings)
        const isNamed = (fact: string): boolean => left.some((name) => fact.includes(name))
        expect(privilegesIn(workspace).filter((fact) => !isNamed(fact))).toEqual(
          before.filter((fact) => !isNamed(fact)),
        )
        rmSync(join(workspace.dir, 'c.jsonl'), { force: true })
        left.push(...leftNames((await undo(workspace, 'b.jsonl', 'c.jsonl')).undone.document.warnings))
        expect(privilegesIn(workspace).filter((fact) => !isNamed(fact))).toEqual(after.filter((fact) => !isNamed(fact)))
      }
      const [one, two] = pair as [Workspace, Workspace]
      expect(outcomes.slice(2)).toEqual(outcomes.slice(0, 2))
      if (!outcomes.every((each) => each === 'converged' || each === 'nothing-to-do')) return
      expect(privilegesIn(two)).toEqual(privilegesIn(one))
      same++
    }),
    0.5,
  )
  expect(same).toBeGreaterThan(0)
})
