// The law of applying: whatever fails, what is reported is what the platform's own log says, nothing is done twice or
// too early, nobody is taken from a list into which somebody could not come, nothing is deleted that nobody wanted
// gone, and a second run finishes the work.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { Step } from '../../src/core/model/step.ts'
import type { ApplyReport, StepReport } from '../../src/core/plan/report.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { withEnoughTime } from '../harness/any-speed.ts'
import { isWriteOf, tooEarly, untruths } from '../harness/report-truth.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type LoggedWrite, writesOf } from '../harness/write-log.ts'
import { type ApplyCase, passing } from './apply-cases.ts'
import { hasEnded, keyOf, licensesIn, substitutionsIn, told } from './held.ts'
import { licencesMissing } from './licences-missing.ts'
import { mayName } from './may-name.ts'
import {
  type Fields,
  type Item,
  type Named,
  nothing,
  offsets,
  type Substitution,
  tenantOf,
  type World,
  writeManifests,
} from './world.ts'

/** How long the first run waits for an answer where one never comes. */
const stalledMs = 150
/** How long a run waits for what it wrote to be there. */
const syncMs = 500
/** The clock of each run. */
const nowMs = Date.parse('2026-01-01T00:00:00Z')

/** Fails with each violation. Unreached objects are no violation: a run may fail as a whole. */
export async function expectApplyLaw(workspace: Workspace, given: ApplyCase): Promise<void> {
  const hangs = given.faults.some(({ effect }) => effect.kind === 'hang')
  // A busy machine may take longer than that to let a request arrive at all. What is not there when it is read back,
  // and arrives after it was sent again, is carried out twice: nobody could know. With more time it has to hold.
  const looksLate = (error: unknown): boolean =>
    hangs || /not synchronised it within/.test(JSON.stringify((error as { actual?: unknown }).actual) ?? '')
  return withEnoughTime(1, (times) => expectLaw(workspace, given, times, hangs), looksLate)
}

async function expectLaw(workspace: Workspace, written: ApplyCase, times: number, hangs: boolean): Promise<void> {
  await prepare(workspace, written, syncMs * times)
  const given = { ...written, ...written.expected }
  const timeoutMs = hangs ? stalledMs * times : undefined
  const { concurrency } = given
  const base = given.before === undefined ? undefined : ('folder' as const)
  const run = { nowMs, concurrency, base, guarded: 'as-allowed' as const }
  let fell: SvcsyncError | undefined
  const first = await workspace.run({ ...run, timeoutMs }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SvcsyncError)
    fell = error as SvcsyncError
    return undefined
  })
  const before = writesOf(workspace.emulator)
  if (first === undefined) expect(before).toEqual([])
  else {
    const { report, planned } = first
    expect(untruths(report, planned.plan.steps, before)).toEqual([])
    expect(tooEarly(report, planned.plan.steps, before)).toEqual([])
    expect(takenWithoutSuccessor(report, planned.plan.steps, before)).toEqual([])
    // Of what could not be read nothing is known, so that nobody is deleted if it may name somebody who would be.
    const deletes = before.filter(({ method, path }) => method === 'DELETE' && /^\/admin\/(?:user|group)/.test(path))
    const { changes, unreadable } = planned.plan
    const accounts = changes.flatMap(({ action, address }) =>
      action === 'delete' ? (/^(?:user|group)\/(.*)/s.exec(address)?.[1] ?? []) : [],
    )
    const rests = unreadable.some(({ address }) => accounts.some((account) => mayName(address, account)))
    if (rests) expect(deletes).toEqual([])
  }
  expect(lost(given, workspace.emulator.state())).toEqual([])
  workspace.emulator.clearFaults()
  // What was created, and of which the answers were lost, is not shown before that: a second run could not know of it.
  if (first?.report.outcome !== 'converged') await delay(given.syncDelayMs)
  const missing = missingOf(workspace.emulator.state(), given)
  const second = await workspace.run(run)
  const after = writesOf(workspace.emulator).slice(before.length)
  const allowances = second.planned.plan.guards.flatMap(({ guard, allow = [] }) =>
    guard === 'enough-licences' ? allow : [],
  )
  if (given.before === undefined) {
    expect(new Set(allowances)).toEqual(new Set(missing === 0 ? [] : [`enough-licences=${missing}`]))
  }
  const isShort = allowances.length > 0
  // Who gets none, for whom there is none, and who keeps what another one would have got; of everything else, all.
  expect(unfinished(second.report, isShort)).toEqual([])
  if (isShort) expect(second.report.outcome).not.toBe('converged')
  expect(untruths(second.report, second.planned.plan.steps, after)).toEqual([])
  expect(tooEarly(second.report, second.planned.plan.steps, after)).toEqual([])
  const [fault, ...more] = given.faults
  if (fault !== undefined && more.length === 0 && passes(fault)) {
    expect(unfinished(first?.report ?? (fell as SvcsyncError), isShort)).toEqual([])
  }
  // What is said to have converged needs nothing more, where everything could be seen.
  const sawAll = first?.planned.plan.unreadable.length === 0
  if (sawAll && first?.report.outcome === 'converged') expect(second.report.outcome).toBe('nothing-to-do')
  if (second.report.outcome === 'converged') expect(await workspace.changes({ base })).toEqual([])
  expect(repeated([...before, ...after])).toEqual([])
  const state = workspace.emulator.state()
  const met = given.items.filter(({ section }) => !isShort || section !== 'licenses')
  expect([...lost(given, state), ...unmet({ ...given, items: met }, state)]).toEqual([])
}

const missingOf = (state: Tenant, { items, project }: ApplyCase) => licencesMissing(state, items, project.collections)

/** Why a run did not converge, in sentences; empty: it did, or there was nothing to do. */
function unfinished(ended: ApplyReport | SvcsyncError, isShort = false): string[] {
  if (ended instanceof SvcsyncError) return [`the run failed as a whole: ${ended.message}`]
  const { outcome, steps, verified } = ended
  if (outcome === 'converged' || outcome === 'nothing-to-do') return []
  const isMeant = ({ address }: { readonly address: string }) => !(isShort && address.startsWith('license/'))
  return [
    ...(isShort ? [] : [outcome]),
    ...steps
      .filter((each) => each.outcome !== 'done' && each.outcome !== 'unchanged' && isMeant(each))
      .map(({ id, outcome, attempts, reason }) => `step ${id}: ${outcome} after ${attempts}: ${reason ?? ''}`),
    ...verified.unequal.filter(isMeant).map((each) => `differs: ${JSON.stringify(each)}`),
  ]
}

function passes({ match, count = 1, effect }: Fault): boolean {
  // A lock is waited for where something is written.
  const isLock = effect.status === 409
  return count === 1 && passing.includes(effect) && !(isLock && match?.method === 'GET')
}

/** The platform, the manifests and the project of a case. */
export async function prepare(
  workspace: Workspace,
  { live, items, overrides, project, ...given }: ApplyCase,
  syncTimeoutMs = syncMs,
): Promise<void> {
  const { emulator } = workspace
  emulator.clearFaults()
  emulator.load(tenantOf(live, offsets[project.timeZone]))
  emulator.setBehaviour(given.behaviour)
  await workspace.control('PATCH', '/settings', { syncDelayMs: given.syncDelayMs })
  await workspace.control('DELETE', '/requests')
  writeManifests(workspace, [items])
  rmSync(join(workspace.dir, 'overrides'), { recursive: true, force: true })
  if (overrides.length > 0) writeManifests(workspace, [overrides], 'overrides')
  workspace.write('svcsync.yaml', projectFile(emulator.url, project, overrides.length > 0, syncTimeoutMs))
  if (given.before !== undefined) {
    workspace.write('base/svcsync.yaml', projectFile(emulator.url, project, false, syncTimeoutMs))
    writeManifests(workspace, [given.before], 'base/manifests')
  }
  for (const fault of given.faults) emulator.addFault(fault)
}

function projectFile(
  baseUrl: string,
  { prunes, collections, timeZone }: ApplyCase['project'],
  hasOverrides: boolean,
  syncTimeoutMs: number,
): string {
  return stringify({
    version: 1,
    manifests: ['manifests'],
    target: 'test',
    targets: {
      test: {
        baseUrl,
        clientId: '${env:SVCSYNC_CLIENT_ID}',
        clientSecret: '${env:SVCSYNC_CLIENT_SECRET}',
        databases: { main: 1 },
        ...(hasOverrides && { overrides: ['overrides'] }),
      },
    },
    settings: {
      timeZone,
      collections,
      retry: { attempts: 3, maxDelay: '5ms' },
      sync: { timeout: `${syncTimeoutMs}ms` },
    },
    guards: { deletions: { max: 1000, percent: 100 }, removals: { max: 1000, percent: 100 } },
    ...(prunes && { prune: { users: ['u*'], groups: ['g*'], substitutions: ['*'] } }),
  })
}

/**
 * Removals that were sent though an addition to the same list, or level, did not succeed; but for accounts that
 * exchange their levels, where the addition itself waits for the removal.
 */
function takenWithoutSuccessor(
  { steps: reports }: ApplyReport,
  steps: readonly Step[],
  writes: readonly LoggedWrite[],
): string[] {
  // What was written and not synchronised in time has come all the same.
  const isMissing = ({ outcome, reason }: StepReport): boolean =>
    outcome !== 'done' && outcome !== 'unchanged' && !/^it was written/.test(reason ?? '')
  const missing = new Set(reports.filter(isMissing).map(({ id }) => id))
  const byId = new Map(steps.map((step) => [step.id, step]))
  const waitsFor = (from: Step, id: string): boolean => {
    const seen = new Set([from.id])
    for (const each of seen) for (const next of byId.get(each)?.dependsOn ?? []) seen.add(next)
    return seen.has(id)
  }
  const levelsOf = ({ elements = [] }: Step) => new Set(elements.map(({ level }) => level))
  return steps
    .filter((step) => step.verb === 'remove' && writes.some((write) => isWriteOf(write, step)))
    .flatMap((removal) =>
      steps
        .filter(({ id, verb, address, collection }) => {
          return verb === 'add' && missing.has(id) && address === removal.address && collection === removal.collection
        })
        .filter((addition) => [...levelsOf(addition)].some((level) => levelsOf(removal).has(level)))
        .filter((addition) => !waitsFor(addition, removal.id))
        .map(({ id }) => `step ${removal.id} took from ${removal.address}, and step ${id} had not added to it`),
    )
}

/** Objects created, and changes of lists made, more than once in both runs together. */
export function repeated(writes: readonly LoggedWrite[]): string[] {
  const seen = new Set<string>()
  return writes.flatMap(({ method, path, query, body, carriedOut }) => {
    // What is gone once is gone as well after a second request: see report-truth.
    if (!carriedOut || method === 'PATCH' || method === 'DELETE') return []
    const { svcId, name } = (body ?? {}) as { readonly svcId?: string; readonly name?: string }
    const isList = /\/(?:add|remove)$/.test(path)
    const what = (method === 'POST' && !isList ? (svcId ?? name) : undefined) ?? JSON.stringify(body)
    // Licences of several users share a request: each of them is given once.
    const parts = path === '/admin/licenses/assign' ? licencesIn(body) : [what]
    return parts.flatMap((part) => {
      const key = `${method} ${path} ${JSON.stringify(query)} ${part}`
      if (seen.has(key)) return [key]
      seen.add(key)
      return []
    })
  })
}

function licencesIn(body: unknown): string[] {
  return Object.entries(body as Record<string, readonly { svcId: string; licenses: readonly unknown[] }[]>).flatMap(
    ([verb, users]) =>
      users.flatMap(({ svcId, licenses }) => licenses.map((each) => `${verb} ${svcId} ${JSON.stringify(each)}`)),
  )
}

/** Accounts that were there, that nobody wanted gone, and that are not there any more; objects that exist twice. */
function lost({ live, items, before, overrides, project }: ApplyCase, state: Tenant): string[] {
  const text = JSON.stringify([items, overrides])
  const isMentioned = (svcId: string) => text.includes(JSON.stringify(svcId))
  const wantedGone = (svcId: string) =>
    items.some(({ item }) => item.absent === true && item.svcId === svcId) ||
    (project.prunes && /^[ug]/.test(svcId) && !isMentioned(svcId))
  const there = new Set(accountsIn(state))
  const gone = accountsIn(live).filter((svcId) => !there.has(svcId) && !wantedGone(svcId))
  const names = [...namesIn(state), ...substitutionsIn(state).map((each) => each.replace(/ until .*/s, ''))]
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...gone.map((svcId) => `${svcId} is gone`),
    ...twice.map((name) => `${name} is there twice`),
    ...changedUnasked(live, [...items, ...overrides], state),
    ...takenUnasked(live, items, before === undefined, project, state),
  ]
}

/**
 * Substitutions that are not pruned, and licences where no base says that they were declared, that no manifest mentions
 * and that are not as they were.
 */
function takenUnasked(
  live: World,
  items: readonly Item[],
  hasNoBase: boolean,
  { prunes, timeZone }: ApplyCase['project'],
  state: Tenant,
): string[] {
  const mentioned = new Set(items.flatMap(({ section, item }) => (section === 'licenses' ? [item.svcId] : [])))
  const there = new Set(substitutionsIn(state))
  const held = licensesIn(state)
  return [
    ...told(undeclared(live, items), offsets[timeZone])
      .filter((each) => !there.has(each) && !(prunes && hasEnded(each, nowMs)))
      .map((each) => `${each} is gone`),
    ...[...licensesIn(tenantOf(live))]
      .filter(([svcId, types]) => hasNoBase && !mentioned.has(svcId) && String(held.get(svcId)) !== String(types))
      .map(([svcId]) => `licences of ${svcId} were changed, and nobody wanted that`),
  ]
}

/** Substitutions that no manifest mentions. */
function undeclared({ substitutions }: World, items: readonly Item[]): readonly Substitution[] {
  const mentioned = new Set(items.flatMap(({ section, item }) => (section === 'substitutions' ? [keyOf(item)] : [])))
  return substitutions.filter((each) => !mentioned.has(keyOf(each)))
}

/** Fields of users and groups that no manifest says, and that are not as they were. */
function changedUnasked(live: World, items: readonly Item[], { users = [], groups = [] }: Tenant): string[] {
  const now = new Map([...users, ...groups].map((each) => [each.svcId, each as Fields]))
  return [...live.users, ...live.groups].flatMap((before) => {
    const after = now.get(before.svcId)
    if (after === undefined) return []
    const said = items.filter(({ item }) => String(item.svcId).toLowerCase() === before.svcId.toLowerCase())
    return ['name', 'email', 'phoneNumber', 'managerSvcId', 'jobTitle']
      .filter((field) => said.every(({ item }) => item[field] === undefined))
      .filter((field) => (before[field] || null) !== (after[field] || null))
      .filter((field) => field !== 'managerSvcId' || now.has(String(before[field])))
      .map((field) => `${field} of ${before.svcId} was changed, and nobody wanted that`)
  })
}

const accountsIn = ({ users = [], groups = [] }: Pick<Tenant | World, 'users' | 'groups'>): string[] =>
  [...users, ...groups].map(({ svcId }) => String(svcId))

function namesIn({ databases = [] }: Tenant): string[] {
  return databases.flatMap(({ constants = [], connections = [], applications = [] }) => [
    ...constants.map(({ name }) => `constant ${name}`),
    ...connections.map(({ name }) => `connection ${name}`),
    ...applications.flatMap(({ processes = [] }) =>
      processes.flatMap((process) => (process.constants ?? []).map(({ name }) => `constant ${process.name} ${name}`)),
    ),
  ])
}

/**
 * What was declared and does not hold, told without any code of svcsync: who is gone, there, and in which group, who
 * has which licences and what on the element, and who stands in for whom; and what is over and to be pruned.
 */
function unmet(given: ApplyCase, state: Tenant): string[] {
  const { live, items, project } = given
  const over = told(project.prunes ? undeclared(live, items) : [], offsets[project.timeZone])
  const left = new Set(substitutionsIn(state))
  const unpruned = over.filter((each) => hasEnded(each, nowMs) && left.has(each))
  const wrong = items.flatMap(({ section, item }: Item) => {
    if (section === 'licenses') return unmetLicenses(item, given, state)
    if (section === 'substitutions') return unmetSubstitution(item, given, state)
    if (section === 'elements') return unmetElement(item, state)
    return section === 'users' || section === 'groups' ? unmetAccount({ section, item }, given, state) : []
  })
  return [...wrong, ...unpruned.map((each) => `${each} is over, and there`)]
}

const modeOf = (item: Fields, collection: string): string | undefined =>
  (item.manage as Readonly<Record<string, string | undefined>> | undefined)?.[collection]

function unmetLicenses(item: Fields, { project }: ApplyCase, state: Tenant): string[] {
  const now = licensesIn(state).get(item.svcId) ?? []
  const { licenses } = tenantOf({ ...nothing, licenses: [item as Named] })
  const wanted = licensesIn({ licenses }).get(item.svcId) ?? []
  return unlike(wanted, now, modeOf(item, 'licenses') ?? project.collections, `license ${String(item.svcId)}`)
}

function unmetSubstitution(item: Fields, { live, project }: ApplyCase, state: Tenant): string[] {
  const [wanted = ''] = told([item as Substitution], offsets[project.timeZone])
  const isOfIt = (each: string) => each.startsWith(wanted.replace(/until .*/s, 'until '))
  const before = told(live.substitutions, offsets[project.timeZone]).filter(isOfIt)
  // What is over is not made again, and left where it is over there, too.
  const isLeft = [wanted, ...before].every((each) => hasEnded(each, nowMs))
  const there = substitutionsIn(state).filter(isOfIt)
  return unlike(item.absent === true ? [] : isLeft ? before : [wanted], there, 'exclusive', 'substitutions')
}

function unmetElement(item: Fields, { databases }: Tenant): string[] {
  const [process] = databases?.[0]?.applications?.[0]?.processes ?? []
  const text = ({ svcId, level }: { readonly svcId: string; readonly level: string }) => `${level} ${svcId}`
  const wanted = Object.entries((item.privileges ?? {}) as Readonly<Record<string, readonly string[] | null>>)
  return unlike(
    wanted.flatMap(([level, list]) => (list ?? []).map((svcId) => text({ svcId, level }))),
    (process?.elements?.[0]?.privileges ?? []).map(text),
    modeOf(item, 'privileges'),
    'the element',
  )
}

function unmetAccount({ section, item }: Item, { overrides, project }: ApplyCase, state: Tenant): string[] {
  const svcId = String(item.svcId)
  const accounts: readonly { readonly svcId: string; readonly members?: readonly string[] | undefined }[] = [
    ...(state.groups ?? []),
    ...(state.users ?? []),
  ]
  const found = accounts.find((each) => each.svcId === svcId)
  if (item.absent === true) return found === undefined ? [] : [`${svcId} is not gone`]
  if (found === undefined) return [`${svcId} is not there`]
  const own = overrides.find((each) => each.item.svcId === svcId)?.item ?? {}
  const members = (own.members ?? item.members) as readonly string[] | null | undefined
  if (section !== 'groups' || members === undefined) return []
  return unlike(members ?? [], found.members ?? [], modeOf(item, 'members') ?? project.collections, svcId)
}

function unlike(wanted: readonly string[], now: readonly string[], mode: string | undefined, what: string): string[] {
  const missing = wanted.filter((each) => !now.includes(each))
  const more = mode === 'exclusive' ? now.filter((each) => !wanted.includes(each)) : []
  return [...missing, ...more].map((each) => `${each} is wrongly in or not in ${what}`)
}
