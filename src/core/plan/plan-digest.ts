// What the digests of a plan are made of. Hashing itself is a parameter, since core has none.
import { type AccessDocument, type AccessEntry, countAccess, holdsAccess } from '../access/describe-access.ts'
import type { Substitution } from '../access/walk.ts'
import type { Verdict } from '../guards/guard.ts'
import { normaliserOf, type SvcIdCase } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import { getOrInsert } from '../model/group-by.ts'
import { canonicalJson, isJsonObject, isMapping, type Json } from '../model/json.ts'
import type { Section } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { CausedElement, ChangeDocument, PlanDocument, StepDocument, UpcomingDocument } from './plan-document.ts'

/** The digest of a text that comes in parts, as `sha256:…`. */
export type Digest = (parts: Iterable<string>) => string

/** What the manifests say of the selected objects, in the order of their addresses: not how they say it, nor where. */
export function* manifestsText(desired: readonly Desired[]): Generator<string> {
  for (const object of desired) {
    const { address, spec, collections, absent, partial, previously } = object
    let text = `${address}\n`
    for (const field of getOrInsert(sortedBySection, object.declarations[0].section, sortedFields)) {
      const value = spec[field]
      if (value === undefined) continue
      text += `${field}:${typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)}\n`
    }
    for (const name of Object.keys(collections).sort()) {
      const { mode, parts, elements } = collections[name] as Desired['collections'][string]
      const listed = JSON.stringify([...elements.keys()].sort())
      text += `${name} ${mode} ${parts === 'all' ? 'all' : JSON.stringify([...parts].sort())} ${listed}\n`
    }
    const { entries = {}, takesEntries } = object.since ?? {}
    if (takesEntries)
      for (const [name, gone] of Object.entries(entries))
        text += `${name} no more ${JSON.stringify([...gone.keys()].sort())}\n`
    if (object.since?.deletion) text += `${JSON.stringify(object.since.deletion)}\n`
    if (absent || partial || previously !== undefined) text += JSON.stringify([absent, partial, previously ?? null])
    yield `${text}\n`
  }
}

const sortedBySection = new WeakMap<Section, readonly string[]>()
const sortedFields = (section: Section): readonly string[] => [...fieldsOf(section).fields].sort()

/** What verdicts and requests rest on, and a plan does not show: a plan that is carried on with needs it, and its digest covers it. */
export interface PlanFacts {
  readonly svcIds: SvcIdCase
  /** Declared accounts that steps refer to and that need nothing themselves: they have to be there. */
  readonly accounts: readonly string[]
  /** Declared objects without steps that guards look at: who is in them decides whether somebody is left elsewhere. */
  readonly behind: readonly string[]
  /** Entries in all lists of a kind that the plan read, where it takes some away: what a share is one of. */
  readonly listed: Readonly<Record<string, number>>
  /** What the manifests declare the accounts in lists of changed objects as; where there are policies. */
  readonly declaredAs: Readonly<Record<string, 'user' | 'group'>>
  /** References with more than the name of a variable of the environment: what else they are resolved with. */
  readonly references: readonly ReferenceFacts[]
  /** As `upcoming` of the plan, of what begins or ends after that. */
  readonly later: readonly UpcomingDocument[]
}

interface ReferenceFacts {
  /** The object that it stands in: the same text may stand for another value in another file. */
  readonly address: string
  readonly template: string
  /** The folder of the manifest, from that of the project: `${file:…}` is relative to it. */
  readonly folder?: string
  /** Values of the target's variables. */
  readonly variables?: Readonly<Record<string, string>>
}

interface DocumentTexts {
  /**
   * What a reviewer has agreed to: everything that a plan shows, and what that rests on. Not covered: when it was made and by
   * whom, places, whose change something is, why something could not be read in words, patch versions of the tool, what is not declared, and what `--allow` said, since that counts where the
   * plan is applied.
   */
  content(plan: Omit<PlanDocument, 'digest'>, facts: PlanFacts): Iterable<string>
  /** A change as it is shown, but for its places. */
  change(change: ChangeDocument): string
  /** One text for what is compared as one: svcIds by their keys, companies by their guids or not at all. */
  comparable(value: object): string
}

/** Texts that are equal where documents, or parts of them, say the same; made here or read from a file. */
export function documentTexts(svcIds: SvcIdCase): DocumentTexts {
  const normalise = normaliserOf(svcIds)

  /** Whether a platform tells companies shows in what else it tells: none, and not told, are the same here. */
  const comparable = (value: Json, names?: 'shown'): Json => {
    if (Array.isArray(value)) return value.map((part: Json) => comparable(part, names))
    if (!isMapping(value)) return value
    const { company, svcId, about } = value
    const result: Record<string, Json | undefined> = {}
    for (const [key, part] of Object.entries(value)) {
      result[key] = part === undefined ? part : comparable(part, names)
    }
    if (typeof svcId === 'string') result.svcId = normalise(svcId)
    if (company === null) result.company = undefined
    if (isJsonObject(about) && typeof about.guid === 'string') {
      const where = [about.guid.toLowerCase(), about.dbId ?? null]
      result.about = names === undefined ? where : [...where, about.name ?? null]
    }
    if (isJsonObject(company) && typeof company.guid === 'string') {
      const guid = company.guid.toLowerCase()
      result.company = names === undefined ? guid : [guid, company.name ?? null, company.id ?? null]
    }
    return result
  }

  /** With what only people read: the names of companies. */
  const shown = (value: object): string => canonicalJson(comparable(value as unknown as Json, 'shown'))

  function* sorted(items: readonly object[]): Generator<string> {
    yield `${items.map(shown).sort().join('\n')}\n\n`
  }

  /** Fixed order in place of sorted keys: the steps of a large plan are most of its text. */
  const stepText = (step: StepDocument): string => {
    const { id, address, kind, verb, collection, spec, elements, collections, at, dependsOn, follows, liveDigest } =
      step
    const { rotates, restsOn } = step
    const head = JSON.stringify([id, address, kind, verb, collection ?? null, dependsOn, follows ?? [], liveDigest])
    // Most steps of a large plan have no elements.
    const lists = elements === undefined && collections === undefined ? '' : shown({ elements, collections })
    return `${head} ${spec === undefined ? '' : canonicalJson(spec)} ${lists} ${canonicalJson(at)}${rotates === undefined ? '' : ` rotates ${JSON.stringify(rotates)}`}${restsOn === undefined ? '' : ` rests on ${JSON.stringify(restsOn)}`}`
  }

  const elementText = ({ cause: _, ...element }: CausedElement): string => {
    if (element.svcId === undefined) return shown(element)
    const { svcId, level = '', company } = element
    if (!company) return `${normalise(svcId)} ${level}`
    return JSON.stringify([normalise(svcId), level, company.guid.toLowerCase(), company.name, company.id ?? ''])
  }

  const changeText = (change: ChangeDocument): string => {
    const { address, kind, action, differences, prunedBy = '' } = change
    const rows = differences.map(
      ({ place: _, cause: __, path, before, after, masked = false, added, removed, rotates, ...sets }) => {
        const row = [path, valueText(before), valueText(after), masked, ...(rotates ? ['rotates'] : [])]
        // Most differences are of values.
        if (added === undefined && removed === undefined && Object.keys(sets).length === 0) return row
        const elements = [added, removed].map((list = []) => list.map(elementText).sort())
        const origins = [sets.throughSets, sets.notInSets, sets.outsideTime].map((items: readonly object[] = []) =>
          items.map((item) => shown(withoutPlaces(item))).sort(),
        )
        return [...row, elements, ...origins, ...(sets.unlisted ? [[...sets.unlisted].sort()] : [])]
      },
    )
    return JSON.stringify([action, kind, address, prunedBy, rows])
  }

  /** In a file that somebody wrote, what may be null may be missing as well: that is another text. */
  const told = (value: object | string | null | undefined) => (value === undefined ? ['missing'] : value)

  function* accessText({ gained, lost, changed, unknown, more, unread, looked }: AccessDocument): Generator<string> {
    const groups = (svcIds: readonly string[] = []): string[] => svcIds.map(normalise)
    const standInText = ({ address, person, from, until }: Substitution): string[] => [
      address,
      normalise(person),
      from,
      until,
    ]
    const entryText = (entry: AccessEntry): string => {
      const { subject, level, address, company, via, kind, before, unseen, may, perhapsGroup } = entry
      const standIns = [entry.substitutions, entry.substitutionsBefore].flatMap((own) =>
        own === undefined ? [] : [own.map(standInText)],
      )
      const whom = typeof subject === 'string' ? normalise(subject) : told(subject)
      const what = [told(level), address, told(company), groups(via), kind, groups(before), normalise(unseen ?? '')]
      return JSON.stringify([
        whom,
        ...what,
        ...(may === 'gain' ? [may] : []),
        ...standIns,
        ...(perhapsGroup ? ['group'] : []),
      ])
    }
    for (const entries of [gained, lost, changed, unknown]) yield `${entries.map(entryText).sort().join('\n')}\n\n`
    yield `${JSON.stringify([more.gained, more.lost, more.changed, more.unknown, unread, ...(looked ? [looked] : [])])}\n`
  }

  function* contentText(plan: Omit<PlanDocument, 'digest'>, facts: PlanFacts): Generator<string> {
    const { tool, target, only, manifestsDigest, changes, steps, unreadable, kinds, counts, unverifiable } = plan
    const [major] = plan.formatVersion.split('.')
    const { listed, declaredAs, references, accounts, behind } = facts
    // They are told with the access, where there is any.
    const { gained, lost, unknown, released, overwritten, ...counted } = counts
    const head = {
      format: major as string,
      tool: tool.version.split('.').slice(0, 2).join('.'),
      target: { ...target },
      only: [...only].sort(),
      manifests: manifestsDigest,
      kinds,
      counts: { ...counted, ...(typeof released === 'number' && { released, overwritten }) },
      facts: { svcIds, accounts, behind, listed, declaredAs, references },
    }
    yield `${canonicalJson(head as unknown as Json)}\n`
    // Why, the platform words as it likes, and hints name what the application may read.
    yield* sorted(unreadable.map(({ address, code = null }) => ({ address, code })))
    yield* sorted(unverifiable)
    yield* sorted(plan.prune?.kept ?? [])
    if (plan.access !== undefined && holdsAccess(plan.access)) {
      yield* accessText(plan.access)
      yield `${JSON.stringify([gained, lost])}\n`
    }
    // What is counted is what is told, and nothing without a base: only who edits a file says otherwise.
    if (typeof released !== 'number' && (released !== null || overwritten !== null))
      yield `${released} ${overwritten}\n`
    const said = { gained, lost, unknown }
    for (const event of ['gained', 'lost', 'unknown'] as const)
      if (said[event] !== (plan.access && countAccess(plan.access, event))) yield `${event} ${said[event]}\n`
    if (plan.noLongerDeclared?.length) yield* sorted(plan.noLongerDeclared.map(withoutPlaces))
    yield* sorted(plan.warnings.filter(({ code }) => !beside.has(code)).map(withoutPlaces))
    yield* sorted(plan.guards.map(findingOf))
    // Whether something is within the next days says the time of the plan.
    yield* sorted([...plan.upcoming, ...facts.later].map(withoutPlaces))
    for (const change of changes) yield `${changeText(change)}\n`
    for (const step of steps) yield `${stepText(step)}\n`
  }

  return {
    content: contentText,
    change: changeText,
    comparable: (value) => canonicalJson(comparable(value as unknown as Json)),
  }
}

const valueText = (value: Json | undefined): Json =>
  typeof value === 'object' && value !== null ? [canonicalJson(value)] : value === undefined ? [] : value

/** Warnings that no write rests on: an allowance that allows nothing, and what accounts keep, which not every application may read. */
const beside: ReadonlySet<string> = new Set(['SVC2072', 'SVC1354', 'SVC1355'])

const places: ReadonlySet<string> = new Set(['place', 'listedAt', 'related'])

function withoutPlaces(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !places.has(key)))
}

/** Refused and allowed are one: what is allowed counts where the plan is applied. */
function findingOf({ verdict, ...finding }: Verdict): object {
  return { ...finding, holds: verdict === 'passed' }
}

/** `0123456789abcdef`: the form in which a digest is shown to people. Sixteen digits are enough to tell plans apart, and short enough to be read. */
export function shortDigest(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1).slice(0, 16)
}

/** `expected`: digits, as many as are shown or more. */
export function isDigest(digest: string, expected: string): boolean {
  return digest.slice(digest.indexOf(':') + 1).startsWith(expected)
}
