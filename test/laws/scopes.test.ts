// The law of `only` of a target: it is as if the manifests, and those of before, held nothing else.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { manifests, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { type Item, secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
let project: string
beforeAll(async () => {
  workspace = await openWorkspace({
    env: secrets,
    settings: 'guards: { removals: { max: 1000, percent: 100 }, deletions: { max: 1000, percent: 100 } }',
  })
  workspace.baseManifest('')
  project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
})
afterAll(() => workspace.close())

/** A glob, and the same told without any code of svcsync. */
type Scope = readonly [glob: string, holds: (item: Item) => boolean]
const ofSection =
  (...sections: readonly Item['section'][]) =>
  ({ section }: Item): boolean =>
    sections.includes(section)
const named =
  (section: Item['section'], name: RegExp) =>
  (item: Item): boolean =>
    item.section === section && name.test(String(item.item.svcId ?? item.item.group ?? item.item.name))
const parts: readonly Scope[] = [
  ['user/*', ofSection('users')],
  ['user/u0@*', named('users', /^u0@/)],
  ['group/*', ofSection('groups', 'memberships')],
  ['GROUP/g0*', (item) => named('groups', /^g0/)(item) || named('memberships', /^g0/)(item)],
  ['constant/main/C0', named('constants', /^C0$/)],
  ['constant/**', ofSection('constants')],
  ['connection/main', ofSection('connections')],
  ['application/main/A', ofSection('applications')],
  ['process/**', ofSection('processes')],
  ['element/**', ofSection('elements')],
  ['license/*', ofSection('licenses')],
  ['substitution/*', ofSection('substitutions')],
]
const scopes = fc.subarray([...parts], { minLength: 1 })
const within = (items: readonly Item[], scope: readonly Scope[]): Item[] =>
  items.filter((item) => scope.some(([, holds]) => holds(item)))

function write(items: readonly Item[], scope: readonly Scope[] | undefined, folder: '.' | 'base'): void {
  const only = scope === undefined ? '' : `    only: ${JSON.stringify(scope.map(([glob]) => glob))}\n`
  workspace.write(
    `${folder}/svcsync.yaml`,
    project.replace('    databases:', () => `${only}    databases:`),
  )
  writeManifests(workspace, [items], `${folder}/manifests`)
}

/** Without places, and what hangs on them. */
const told = ({ changes, noLongerDeclared, counts, guards, unreadable }: PlanDocument) =>
  JSON.parse(
    JSON.stringify({ changes, noLongerDeclared, counts, guards, unreadable }, (key, value) =>
      key === 'place' || key === 'digest' ? undefined : value,
    ),
  )

const cases = worlds.chain((live) =>
  fc.record({ live: fc.constant(live), items: manifests(live), before: manifests(live), now: scopes, past: scopes }),
)

it('plans as if the manifests held nothing else, and the base nothing that either side leaves out', async () => {
  await tryLaw(
    fc.asyncProperty(cases, async ({ live, items, before, now, past }) => {
      workspace.emulator.load(tenantOf(live))
      write(items, now, '.')
      write(before, past, 'base')
      const scoped = (await workspace.plan({ base: 'ledger' })).document
      write(within(items, now), undefined, '.')
      write(within(within(before, past), now), undefined, 'base')
      const plain = (await workspace.plan({ base: 'ledger' })).document
      expect(told(scoped)).toEqual(told(plain))
      expect(scoped.target.only).toEqual(now.map(([glob]) => glob))
      // What is not covered any more is named, each object once.
      const [lost] = scoped.warnings.filter(({ code }) => code === 'SVC2247')
      const left = within(before, past).filter((item) => within([item], now).length === 0)
      expect(lost !== undefined).toBe(left.length > 0)
      const addresses = lost?.related?.map(({ message }) => message) ?? []
      expect(new Set(addresses).size).toBe(addresses.length)
    }),
    2,
  )
})
