// The smallest change by which somebody gets a right, or loses it: each way that there is, with what else it does.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import {
  compareRanks,
  findCuts,
  findGrants,
  grantOf,
  type JudgedEdits,
  standingOf,
  type WantedRight,
} from '@svcsync/core/access/find-edits.ts'
import { accessLister } from '@svcsync/core/access/list-access.ts'
import { ownLinks } from '@svcsync/core/access/own-links.ts'
import { effectOf, type LinkEdit, settled } from '@svcsync/core/access/what-if.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import type { AssemblySettings } from '@svcsync/core/model/desired.ts'
import { elementKey } from '@svcsync/core/model/elements.ts'
import type { CompanyRef } from '@svcsync/core/model/kind.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { type Acceptance, ListAcceptance } from '@svcsync/editor/accept-list.ts'
import { inCode, OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import { companyList, companyRef, MetadataLists, matching } from '@svcsync/live/metadata-lists.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { entriesForPolicies } from '../open/standing-entries.ts'
import { judgeByPolicies, judgeStandingAccess, problemsOfDesired } from '../open/with-policies.ts'

interface AccessChange extends JudgedEdits {
  readonly taken: readonly Acceptance[]
}

interface FoundChanges {
  /** By which way it is so already; of what is to end: not at all. */
  readonly isSo: boolean
  readonly isLevel: boolean
  /** The one that takes or gives the least first. */
  readonly found: readonly AccessChange[]
  readonly left: readonly string[]
  /** For an end: the substitutions that alone give the person the right. */
  readonly lent: readonly string[]
  /** For an end: entries that no apply takes away, the person's own alone if there is a way. */
  readonly fixed: readonly LinkEdit[]
}

type StandingAccess = ReturnType<typeof standingOf>

interface LicenceLookUp {
  /** True if a user has a licence, by key; null: unknown. */
  readonly licensed: (key: string) => boolean | null
}

/** So many are worked out; what may give more to more people than those is not. */
const mostTried = 12

export async function accessChanges(
  changes: readonly Change[],
  wanted: WantedRight,
  is: 'granted' | 'revoked',
  opened: OpenedProject,
  asking: LicenceLookUp,
): Promise<FoundChanges> {
  const { assembly } = opened
  const { normalise } = assembly
  const standing = standingOf(settled(changes), normalise, assembly.time.nowMs)
  const linksOf = ownLinks(standing.graph, 'after', normalise)
  const { person, level, object: address } = wanted
  const has = limitsOf(wanted).some((company) => {
    const links = linksOf({ subject: person, level, address, company })
    return links.isDirect || links.groups.length > 0
  })
  const isLevel = grantOf(standing, wanted) !== undefined
  const lent = has || is === 'granted' ? [] : personsRepresented(standing, wanted)
  const isSo = has === (is === 'granted') && lent.length === 0
  const none = { isSo, isLevel, lent, found: [], left: [], fixed: [] }
  if (none.isSo || !isLevel) return none
  const { cuts, fixed } = is === 'revoked' ? findCuts(standing, wanted) : { cuts: [], fixed: [] }
  const candidates =
    is === 'granted'
      ? findGrants(standing, wanted).map(({ way, edit }) => ({ way, edits: [edit] }))
      : cuts.map((edits) => ({ way: 'cut' as const, edits }))
  const found: AccessChange[] = []
  const left: string[] = []
  for (const { way, edits } of candidates) {
    if (found.length === mostTried) break
    const written = writtenAs(edits, changes, assembly)
    if ('why' in written) left.push(written.why)
    else {
      const change = await judged({ way, edits, taken: written.taken }, standing, wanted, opened, asking)
      if (change.achieves) found.push(change)
      else left.push(`${person} would still have it as a substitute`)
    }
  }
  return { ...none, found: found.sort((a, b) => compareRanks(rankOf(a), rankOf(b))), left: [...new Set(left)], fixed }
}

function personsRepresented({ graph, normalise }: StandingAccess, wanted: WantedRight): readonly string[] {
  const account = graph.numbers.get(normalise(wanted.person))
  const all = account === undefined ? [] : accessLister(graph, 'after')(account)
  const limits = limitsOf(wanted)
  const own = all.filter(
    ({ level, address, company }) => level === wanted.level && address === wanted.object && limits.includes(company),
  )
  return [...new Set(own.flatMap(({ substitutions = [] }) => substitutions.map(({ address }) => address)))]
}

/** A level for all covers each business entity. */
export const limitsOf = ({ company }: Pick<WantedRight, 'company'>): readonly (string | null)[] =>
  company === null ? [null] : [company.name, null]

/** Policies first, then others, then what else the person gets or loses, then the edits. */
const rankOf = ({ breaks, others, perhaps, lost, besides, edits }: AccessChange): readonly number[] => [
  breaks.length,
  new Set([...others, ...lost].map(({ subject }) => subject)).size,
  new Set(perhaps.map(({ subject, unseen }) => subject ?? unseen)).size,
  besides.length,
  edits.length,
]

function writtenAs(
  edits: readonly LinkEdit[],
  changes: readonly Change[],
  { normalise, sets }: AssemblySettings,
): { readonly taken: readonly Acceptance[] } | { readonly why: string } {
  const taken: Acceptance[] = []
  for (const { is, address, collection, element } of edits) {
    const change = changes.find((each) => each.address === address)
    const declared = change?.desired?.collections[collection]?.elements.get(elementKey(element))
    if (change?.desired === undefined || (is === 'removed' && declared === undefined))
      return { why: `${address}: no manifest lists it` }
    const list = new ListAcceptance({ ...change, live: undefined }, change.desired, collection, normalise)
    const edit = is === 'added' || declared === undefined ? list.withEntry(element) : list.withoutEntry(declared, sets)
    if ('why' in edit) return { why: `${edit.address}  ${edit.what}: ${edit.why}` }
    taken.push(edit)
  }
  return { taken }
}

async function judged(
  candidate: Pick<AccessChange, 'way' | 'edits' | 'taken'>,
  { changes: before, normalise }: StandingAccess,
  wanted: WantedRight,
  opened: OpenedProject,
  asking: LicenceLookUp,
): Promise<AccessChange> {
  const { edits } = candidate
  const effect = effectOf(before, edits, opened.assembly.time.nowMs)
  const { changes, access } = effect
  const isGrant = edits.some(({ is }) => is === 'added')
  const [moved, lost] = isGrant ? [access.gained, access.lost] : [access.lost, []]
  const isPerson = ({ subject }: AccessEntry): boolean => normalise(subject ?? '') === normalise(person)
  const { person, level, object, company } = wanted
  const isAt = (entry: AccessEntry, limits: readonly (string | null)[]): boolean =>
    isPerson(entry) && entry.level === level && entry.address === object && limits.includes(entry.company)
  const isMeant = (entry: AccessEntry): boolean => isAt(entry, [company?.name ?? null])
  const touched = new Set(edits.map(({ address }) => address))
  const isTouched = ({ address }: Change): boolean => touched.has(address)
  return {
    ...candidate,
    achieves: [...moved, ...access.unknown].some((entry) => isAt(entry, limitsOf(wanted))),
    others: moved.filter((entry) => !isPerson(entry)),
    besides: moved.filter((entry) => isPerson(entry) && !isMeant(entry)),
    lost,
    // A possible gain is the goal of a grant; a possible rest is the goal of a revocation.
    perhaps: access.unknown.filter((entry) => !isGrant || !isMeant(entry)),
    breaks: await brokenPolicies(opened, [before.filter(isTouched), changes.filter(isTouched)], effect, asking),
  }
}

async function brokenPolicies(
  opened: OpenedProject,
  [before, after]: readonly (readonly Change[])[],
  { changes, graph, access }: ReturnType<typeof effectOf>,
  { licensed }: LicenceLookUp,
): Promise<readonly string[]> {
  const desiredOf = (all: readonly Change[] = []) => all.flatMap(({ desired }) => desired ?? [])
  const [had, has] = await Promise.all([
    problemsOfDesired(opened, desiredOf(before)),
    problemsOfDesired(opened, desiredOf(after)),
  ])
  const known = new Set(had.map(({ message }) => message))
  const moved = new Set([...access.gained, ...access.lost, ...access.unknown].map(({ subject }) => subject))
  const strict = {
    ...opened,
    policies: (opened.policies ?? []).map((policy) => ({ ...policy, level: 'deny' as const })),
  }
  const standing = () => {
    const at = entriesForPolicies(opened, graph, changes, licensed)
    const own = (time: 'before' | 'after') => at(time).filter(({ entry }) => moved.has(entry.subject))
    return { before: own('before'), after: own('after'), notSeen: [] }
  }
  const [byChange, byStanding] = await Promise.all([
    judgeByPolicies(strict, after ?? [], [], () => access),
    judgeStandingAccess(strict, standing, []),
  ])
  const refused = [...byChange.verdicts, ...byStanding.verdicts].filter(({ verdict }) => verdict === 'refused')
  return [
    ...new Set([
      ...has.map(({ message }) => message).filter((message) => !known.has(message)),
      ...refused.map(
        ({ guard, sentence }) => `${sentence.replace(/\.$/, '')} (policy \`${guard.slice('policy/'.length)}\`)`,
      ),
    ]),
  ]
}

/** Throws an OperatorError for a level that no business entity limits, or an unknown one. */
export async function companyOf(
  client: PlatformClient,
  { live, address }: Change,
  level: string,
  name: string,
): Promise<CompanyRef> {
  const fields = Object.values(live?.kind.sections[0].schema.properties ?? {})
  const lists = fields.flatMap((field) => ('properties' in field ? (field.properties[level] ?? []) : []))
  const isLimited = lists.some(
    (list) => 'items' in list && 'long' in list.items && 'company' in list.items.long.properties,
  )
  const dbId = live?.at.dbId
  if (!isLimited || dbId === undefined)
    throw new OperatorError('SVC2314', `No business entity limits ${level} on ${inCode(address)}`, {
      hint: 'Levels of processes and form types are limited to business entities. Leave out --company.',
    })
  const known = new MetadataLists()
  const list = companyList(dbId)
  await client.authorise(list.needs ?? [])
  const answer = await known.read(client, list)
  if (answer instanceof PlatformError) throw answer
  const [only, second] = matching(answer, name)
  if (only !== undefined && second === undefined) return companyRef(only)
  const names = answer.map((each) => each.code ?? each.name)
  throw new OperatorError('SVC2314', `${inCode(name)} leads to no business entity alone`, {
    hint: suggestion(name, names) ?? `There are ${quoted(names)}.`,
  })
}
