// Turns drift into manifests: chooses the differences that can be accepted, and proves that they are gone.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import { shellOption } from '@svcsync/core/guards/shell-option.ts'
import { type NormaliseSvcId, selectionOf } from '@svcsync/core/model/address.ts'
import { type Desired, writtenFor } from '@svcsync/core/model/desired.ts'
import { elementKey } from '@svcsync/core/model/elements.ts'
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import { acceptEdits } from '@svcsync/editor/accept-edits.ts'
import { type Acceptance, type AcceptResult, keepsReference } from '@svcsync/editor/accept-list.ts'
import type { DeclaredFact } from '@svcsync/editor/facts.ts'
import { readList } from '@svcsync/live/read-list.ts'
import { readObject } from '@svcsync/live/read-object.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { type EditedProject, editProject, UnfitEdits } from './edit-project.ts'
import type { ProjectForEdit } from './open-for-edit.ts'

/** Objects that are gone are looked for by themselves first: one that a list left out is not gone. */
export async function acceptable(
  { plan, base }: Pick<PlanRun, 'plan' | 'base'>,
  project: ProjectForEdit,
  port: PlatformPort,
  only: readonly string[],
): Promise<AcceptResult> {
  const [{ declarations, assembly, project: edited }] = project.targets
  const isWanted = selectionOf(only, edited.kinds)
  const changes = plan.changes.filter(({ address }) => isWanted(address))
  const { overrides, sets, normalise } = assembly
  const found = acceptEdits(changes, { declarations, overrides, sets, normalise, hasBase: base !== undefined })
  const taken: Acceptance[] = []
  const refused = [...found.refused]
  for (const each of found.taken) {
    const { address, vanished } = each
    if (vanished === undefined || (await isGone(port, vanished))) taken.push(each)
    else refused.push({ address, what: 'not there any more', why: 'a second look finds it' })
  }
  return { taken, refused, pending: found.pending }
}

/** For an object without a known id, its list is read again. */
async function isGone(port: PlatformPort, { kind, address, at, key }: Desired): Promise<boolean> {
  if (at.self !== undefined) return (await readObject(port, kind, address, at)) === undefined
  const list = kind.requests.list?.(at)
  return list === undefined || !(await readList(port, kind, at, list, { pageSize: 100 })).has(key)
}

/** Without the platform objects may have another address: each is known by where it is declared. */
function isTakenFact(taken: readonly Acceptance[], { targets }: ProjectForEdit): (fact: DeclaredFact) => boolean {
  const addresses = new Map<string, Set<string>>()
  for (const { desired } of targets) {
    for (const object of desired) {
      for (const { source, item } of writtenFor(object))
        getOrInsert(addresses, `${source.file} ${offsetAt(source, item, [])}`, () => new Set()).add(object.address)
    }
  }
  const asked = new Map<string, Acceptance[]>()
  for (const each of taken) {
    const { declaration, address } = each
    const known =
      declaration && addresses.get(`${declaration.source.file} ${offsetAt(declaration.source, declaration.item, [])}`)
    for (const own of known ?? [address]) append(asked, own, each)
  }
  // An entry of a set is one of the list as well, and of no other.
  return (fact) => fact.isSet === true || asked.get(fact.address)?.some((each) => isFactOf(fact, each)) === true
}

function isFactOf(fact: DeclaredFact, { path, entry }: Acceptance): boolean {
  if (path === '') return true
  const [collection] = fact.path.split(' ')
  if (entry !== undefined) return collection === path && (fact.entry === entry || fact.path === `${path} managed`)
  return (
    fact.path === path || collection === path || fact.path.startsWith(`${path}.`) || path.startsWith(`${fact.path}.`)
  )
}

/** The edit of everything that can be accepted. A value under a reference is refused alone. */
export function editAccepted(
  project: ProjectForEdit,
  found: AcceptResult,
): AcceptResult & { readonly edited?: EditedProject } {
  const { taken, refused } = found
  if (taken.length === 0) return found
  try {
    const edited = editProject(
      project,
      taken.flatMap(({ edits }) => edits),
      isTakenFact(taken, project),
    )
    return { ...found, edited }
  } catch (error) {
    if (!(error instanceof UnfitEdits)) throw error
    const isUnfit = ({ edits }: Acceptance): boolean => edits.some(({ edit }) => error.edits.has(edit))
    const unfit = taken.filter(isUnfit)
    if (unfit.length === 0) throw error
    const others = unfit.map(({ address, what }) => ({ address, what, why: keepsReference }))
    return editAccepted(project, {
      ...found,
      taken: taken.filter((each) => !isUnfit(each)),
      refused: [...refused, ...others],
    })
  }
}

/** Differences that are still there in the plan of the edited manifests: none, or the edit is not made. */
export function findRemaining({ plan }: Pick<PlanRun, 'plan'>, taken: readonly Acceptance[]): Acceptance[] {
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  return taken.filter((each) => isThere(changes.get(each.address), each))
}

function isThere(change: Change | undefined, { path, element }: Acceptance): boolean {
  if (change === undefined || change.action === 'none') return false
  if (path === '') return true
  if (element === undefined) {
    const inFields = change.fields.some((field) => field.path.join('.') === path)
    return inFields || change.collections.some(({ collection }) => collection === path)
  }
  const list = change.collections.find(({ collection }) => collection === path)
  const all = [...(list?.added ?? []).map((added) => added.element), ...(list?.removed ?? [])]
  return all.some((each) => elementKey(each) === element)
}

/** Administrators, also through groups, whom a plan would have removed, and the next one keeps. */
function keptEntries(before: PlanRun, after: PlanRun, kinds: readonly Kind[]): readonly AccessEntry[] {
  const levels = new Set(kinds.map(({ administeredBy }) => administeredBy?.level))
  const lostIn = ({ document }: PlanRun) =>
    (document.access?.lost ?? []).filter(({ level, kind }) => kind !== 'owner' && level !== null && levels.has(level))
  const nameOf = ({ subject, address }: AccessEntry): string => `${subject} ${address}`
  const left = new Set(lostIn(after).map(nameOf))
  return lostIn(before).filter((entry) => !left.has(nameOf(entry)))
}

export function keptAdministrators(
  before: PlanRun,
  after: PlanRun,
  taken: readonly Acceptance[],
  kinds: readonly Kind[],
): readonly string[] {
  const kept = keptEntries(before, after, kinds).map(({ subject }) => String(subject))
  return [...new Set([...taken.flatMap(({ administrator = [] }) => administrator), ...kept])].sort()
}

/** Without groups and substitutions through which somebody would stay Administrator whom nobody allowed. */
export function withoutKept(
  found: AcceptResult,
  before: PlanRun,
  after: PlanRun,
  {
    kinds,
    allowances,
    normalise,
  }: { readonly kinds: readonly Kind[]; readonly allowances: readonly string[]; readonly normalise: NormaliseSvcId },
): AcceptResult {
  const entries = keptEntries(before, after, kinds).filter(({ subject }) => !allowances.includes(String(subject)))
  const asked = new Map<string, Set<string>>()
  for (const { subject, via, substitutions = [] } of entries)
    for (const link of [...via.map((svcId) => `group/${svcId}`), ...substitutions.map(({ address }) => address)])
      getOrInsert(asked, normalise(link), () => new Set()).add(String(subject))
  const isLink = ({ address }: Acceptance): boolean => asked.has(normalise(address))
  const left = found.taken.filter(isLink).map(({ address, what }) => {
    const options = [...(asked.get(normalise(address)) ?? [])].map((svcId) =>
      shellOption(`exception-administrator=${svcId}`),
    )
    return { address, what, why: `through it somebody stays Administrator, which takes \`${options.join(' ')}\`` }
  })
  return { ...found, taken: found.taken.filter((each) => !isLink(each)), refused: [...found.refused, ...left] }
}
