// Laws of saved plans: what was saved is what runs, or nothing runs at all.
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../src/core/model/json.ts'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { PlanRefusal } from '../../src/core/saved/plan-refusal.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { parsePlanFile } from '../../src/runs/saved/plan-file.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { unsharedWrites, writeLines, writesOf } from '../harness/write-log.ts'
import { situations, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { edited, nothing, type Privilege, secrets, tenantOf, type World, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

/** Before the first write, requests for tokens among them. */
const readsOf = (): number => {
  const log = workspace.emulator.requests() as unknown as { readonly method: string; readonly path: string }[]
  const first = log.findIndex(({ method, path }) => method !== 'GET' && path.startsWith('/api/data/'))
  return first < 0 ? log.length : first
}
const forget = () => workspace.control('DELETE', '/requests')

it('saves equal bytes for equal input, but for the times', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const text = await savedText(workspace)
      expect(await savedText(workspace)).toBe(text)
      const later = await savedText(workspace, { createdAt: '2026-01-01T00:00:01.000Z' })
      const timeless = (plan: string) => plan.replace(/"(createdAt|expiresAt|checksum)": "[^"]*"/g, '')
      expect(timeless(later)).toBe(timeless(text))
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
    }),
    0.5,
  )
})

it('refuses a file that differs in one byte, or lacks its end', async () => {
  workspace.emulator.load(tenantOf({ ...nothing, users: [{ svcId: 'u0@example.com', name: 'Ż' }] }))
  writeManifests(workspace, [[{ section: 'users', item: { svcId: 'u0@example.com', name: 'A "q" \u202e ü' } }]])
  const bytes = Buffer.from(await savedText(workspace))
  expect(() => parsePlanFile(bytes, 'plan.json')).not.toThrow()
  const at = fc.integer({ min: 0, max: bytes.length - 1 })
  const byte = fc.integer({ min: 0, max: 255 })
  const mutants = fc.oneof(
    fc.tuple(at, byte).map(([index, value]) => Buffer.from(bytes.map((old, i) => (i === index ? value : old)))),
    fc.tuple(at, byte).map(([i, value]) => Buffer.concat([bytes.subarray(0, i), Buffer.of(value), bytes.subarray(i)])),
    at.map((index) => Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + 1)])),
    at.map((index) => bytes.subarray(0, index)),
    fc.constant(Buffer.concat([bytes, Buffer.from('\n')])),
    fc.constant(Buffer.from(bytes.toString().replaceAll('\n', '\r\n'))),
    fc.constant(Buffer.from(JSON.stringify(JSON.parse(bytes.toString())))),
  )
  await tryLaw(
    fc.property(mutants, (mutant) => {
      fc.pre(!mutant.equals(bytes))
      expect(() => parsePlanFile(mutant, 'plan.json')).toThrow(RefusedError)
    }),
    20,
  )
})

it('runs the steps of a direct apply after hardly more reads', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const text = await savedText(workspace)
      await forget()
      await workspace.apply({ concurrency: 1 })
      const writes = () => writeLines(unsharedWrites(writesOf(workspace.emulator))).sort()
      const direct = { writes: writes(), reads: readsOf() }
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [])
      await forget()
      const { outcome } = await applySaved(workspace, text)
      expect(outcome).toBe(parsed(text).steps.length === 0 ? 'nothing-to-do' : 'converged')
      expect(writes()).toEqual(direct.writes)
      // One asks who it is; two users by themselves are one more than a page of three; and where all that is read is to
      // be created, one user and one group are asked for before their lists are believed.
      expect(readsOf()).toBeLessThanOrEqual(direct.reads + 4)
    }),
    0.5,
  )
})

/** Who is deleted has to be as the reviewer could see them, in every field. */
function leavesAs(live: World, now: World, { changes }: PlanDocument): boolean {
  const all = ({ users, groups }: World, address: string) =>
    JSON.stringify(
      [...users, ...groups].filter(({ svcId }) => address.endsWith(`/${svcId}`)),
      (_, value) => (value === '' ? null : value),
    )
  return changes.every(({ action, address }) => action !== 'delete' || all(live, address) === all(now, address))
}

/** A licence that is given takes the place of what its user has of that type. */
function replacesAs(live: World, now: World, { changes }: PlanDocument): boolean {
  const held = ({ licenses }: World, address: string, type: string | undefined) => {
    const own = licenses.find(({ svcId }) => address === `license/${svcId}`)?.licenses as readonly { type: string }[]
    return JSON.stringify(own?.filter((each) => each.type === type) ?? [])
  }
  return changes.every(({ address, differences }) =>
    differences
      .flatMap(({ added = [] }) => added)
      .every(({ item }) => item === undefined || held(live, address, item) === held(now, address, item)),
  )
}

const privilegesOf: Readonly<Record<string, 'application' | 'process' | 'formType' | 'element'>> = {
  application: 'application',
  process: 'process',
  'form-type': 'formType',
  element: 'element',
}

/** With one level an installation may take others: an account that gets or loses one has to stand there as it stood. */
function standsAs(live: World, now: World, addresses: ReadonlySet<string>, { changes }: PlanDocument): boolean {
  const held = (list: readonly Privilege[], account: string) =>
    list.flatMap(({ svcId, level, company }) => (svcId === account ? `${level} ${company}` : [])).sort()
  return changes.every(({ address, kind, differences }) => {
    const list = privilegesOf[kind]
    if (list === undefined || !addresses.has(address)) return true
    return differences
      .flatMap(({ added = [], removed = [] }) => [...added, ...removed])
      .every(({ svcId = '' }) => String(held(live[list], svcId)) === String(held(now[list], svcId)))
  })
}

/** What is planned for these objects; texts that the platform does not tell apart are one. */
function plannedFor(addresses: ReadonlySet<string>, { changes, steps }: PlanDocument): string[] {
  const empty = (value: unknown): unknown => (value === '' ? null : (value ?? null))
  return [
    ...changes
      .filter(({ address }) => addresses.has(address))
      .map(({ address, action, differences }) => {
        const shown = differences.map(({ place: _, before, ...rest }) => ({ ...rest, before: empty(before) }))
        return canonicalJson({ address, action, shown } as unknown as Json)
      }),
    ...steps
      .filter(({ address }) => addresses.has(address))
      .map(({ id: _, dependsOn: __, follows: ___, liveDigest: ____, ...step }) =>
        canonicalJson(step as unknown as Json),
      ),
  ].sort()
}

it('refuses a plan exactly when what it rests on was edited, and writes nothing then', async () => {
  const seen = { refused: 0, applied: 0 }
  const parts = fc.constantFrom(...(Object.keys(nothing) as (keyof World)[]))
  await tryLaw(
    fc.asyncProperty(situations, worlds, parts, async ({ live, items }, other, what) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const text = await savedText(workspace)
      const saved = parsed(text)
      fc.pre(saved.steps.length > 0)
      const after = edited(live, other, what)
      workspace.emulator.load(tenantOf(after))
      const addresses = new Set(saved.saved.objects.map(({ address }) => address))
      const now = (await workspace.plan()).document
      const isSame =
        leavesAs(live, after, saved) &&
        replacesAs(live, after, saved) &&
        standsAs(live, after, addresses, saved) &&
        canonicalJson(plannedFor(addresses, now)) === canonicalJson(plannedFor(addresses, saved))
      await forget()
      const applied = await applySaved(workspace, text).catch((error: unknown) => error)
      if (isSame) {
        expect(applied).toMatchObject({ counts: { done: saved.steps.length } })
        seen.applied++
      } else {
        expect(applied).toBeInstanceOf(PlanRefusal)
        const { code, discrepancies } = applied as PlanRefusal
        expect(code).toBe('SVC2107')
        expect(discrepancies.length).toBeGreaterThan(0)
        expect(writesOf(workspace.emulator)).toEqual([])
        for (const secret of Object.values(secrets)) expect(JSON.stringify(discrepancies)).not.toContain(secret)
        seen.refused++
      }
    }),
    1.5,
  )
  expect(Math.min(seen.refused, seen.applied)).toBeGreaterThan(0)
})
