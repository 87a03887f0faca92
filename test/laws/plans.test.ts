// Laws of plans on random installations and manifests: what a plan depends on, and in which order its steps stand.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountsIn } from '../../src/core/model/elements.ts'
import type { Step } from '../../src/core/model/step.ts'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { accountIds, type Fields, type Item, secrets, tenantOf, type World, writeManifests } from './world.ts'

const isPlan = documentValidator(closedPlanSchema)

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

async function planOf(live: World, files: readonly (readonly Item[])[]) {
  workspace.emulator.load(tenantOf(live))
  writeManifests(workspace, files)
  return workspace.plan()
}

/** The document without places; findings, which stand in the order of places, in an order of their own. */
function placeless(document: PlanDocument): unknown {
  const text = JSON.stringify(document, (key, value) => (key === 'place' || key === 'related' ? undefined : value))
  const plain = JSON.parse(text) as PlanDocument
  return { ...plain, warnings: plain.warnings.map((warning) => JSON.stringify(warning)).sort() }
}

/** The same said in another order: of files, of items, of the elements of lists, with objects in two places. */
function shuffled(items: readonly Item[], random: (below: number) => number): Item[][] {
  const shuffle = <T>(list: readonly T[]): T[] => {
    const rest = [...list]
    return list.map(() => rest.splice(random(rest.length), 1)[0] as T)
  }
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return shuffle(value.map(inside))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      // Settings of a connection are shown in the order in which they are written.
      shuffle(Object.entries(value)).map(([key, part]) => [key, key === 'sql' ? part : inside(part)]),
    )
  }
  const split = ({ section, item }: Item): Item[] => {
    const { manage, ...fields } = item
    if ((section !== 'users' && section !== 'groups') || item.absent !== undefined) return [{ section, item }]
    const keys = shuffle(Object.keys(fields).filter((key) => key !== 'svcId' && fields[key] !== undefined))
    if (keys.length < 2) return [{ section, item }]
    const parts = [keys.slice(0, 1), keys.slice(1)].map(
      (part): Fields => ({
        svcId: item.svcId,
        ...Object.fromEntries(part.map((key) => [key, fields[key]])),
        ...(manage !== undefined && { manage }),
      }),
    )
    return parts.map((part) => ({ section, item: part }))
  }
  const all = shuffle(items.flatMap(split)).map(
    ({ section, item }): Item => ({ section, item: inside(item) as Fields }),
  )
  const files: Item[][] = [[], [], []]
  for (const item of all) files[random(3)]?.push(item)
  return files
}

it('says the same of the same state, byte for byte, in the form that is published', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      const first = await planOf(live, [items])
      const second = await planOf(live, [items])
      expect(JSON.stringify(second.document)).toBe(JSON.stringify(first.document))
      expect([isPlan(JSON.parse(renderPlanJson(first.document))), isPlan.errors]).toEqual([true, null])
    }),
    0.5,
  )
})

it('does not depend on the order of files, items and elements, nor on how an object is spread over them', async () => {
  await tryLaw(
    fc.asyncProperty(situations, fc.infiniteStream(fc.nat(1000)), async ({ live, items }, numbers) => {
      const random = (below: number): number => (numbers.next().value as number) % below
      const first = await planOf(live, [items])
      const second = await planOf(live, shuffled(items, random))
      expect(placeless(second.document)).toEqual(placeless(first.document))
    }),
  )
})

it('puts no step before what it depends on, and refers to nobody who is not there', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      const { plan } = await planOf(live, [items])
      expect(breaches(live, plan.steps).join('\n')).toBe('')
    }),
  )
})

/**
 * Walks through the steps, as the slowest scheduler could: only what a step depends on is certain to have been done.
 */
function breaches(live: World, steps: readonly Step[]): string[] {
  const found: string[] = []
  const before = new Map<string, ReadonlySet<string>>()
  const creator = new Map<string, string>()
  const deletion = new Map<string, string>()
  const carriers: { readonly what: string; readonly id: string; readonly svcId: string }[] = []
  const deleted = new Map<string, ReadonlySet<string>>()
  const there = new Set([...accountIds, ...[...live.users, ...live.groups].map(({ svcId }) => svcId)])
  for (const { id, verb, at } of steps) {
    if (verb === 'create') creator.set(at.name as string, id)
    if (verb === 'delete') deletion.set(at.name as string, id)
  }
  for (const step of steps) {
    const what = `step ${step.id} (${step.verb} ${step.address})`
    const closure = new Set(step.dependsOn.flatMap((id) => [id, ...(before.get(id) ?? [])]))
    before.set(step.id, closure)
    const later = step.dependsOn.filter((id) => Number(id) >= Number(step.id))
    found.push(...later.map((id) => `${what} stands before ${id}`))
    const strangers = referencesOf(step).filter((svcId) => !there.has(svcId))
    const nowhere = strangers.filter((svcId) => !creator.has(svcId))
    const early = strangers.filter((svcId) => !closure.has(creator.get(svcId) ?? ''))
    found.push(...nowhere.map((svcId) => `${what} refers to ${svcId}, who is nowhere`))
    found.push(...early.map((svcId) => `${what} does not wait for ${svcId}`))
    // An update carries a manager along that no manifest declares: who is deleted afterwards.
    const leaving = referencesOf(step).filter((svcId) => deletion.has(svcId))
    carriers.push(...leaving.map((svcId) => ({ what, id: step.id, svcId })))
    if (step.verb !== 'delete') continue
    deleted.set(step.at.name as string, closure)
    // Steps that let go of the one that is deleted come first.
    const lettingGo = steps.filter(
      ({ verb, elements }) => verb === 'remove' && elements?.some(({ svcId }) => svcId === step.at.name),
    )
    const missed = lettingGo.filter(({ id }) => !closure.has(id))
    found.push(...missed.map(({ id }) => `${what} does not wait for ${id}`))
  }
  for (const { what, id, svcId } of carriers)
    if (!deleted.get(svcId)?.has(id)) found.push(`${what} refers to ${svcId}, whose deletion does not wait for it`)
  return found
}

function referencesOf(step: Step): string[] {
  if (step.verb === 'remove' || step.verb === 'delete') return []
  const elements = [...(step.elements ?? []), ...Object.values(step.collections ?? {}).flat()]
  const manager = step.spec?.managerSvcId
  return [...accountsIn(elements), ...(typeof manager === 'string' && manager !== '' ? [manager] : [])]
}
