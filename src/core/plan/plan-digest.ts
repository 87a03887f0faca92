// Makes the texts under a plan's digests. Hashing is a parameter.
import { type AccessDocument, type AccessEntry, countAccess, holdsAccess } from '../access/describe-access.ts'
import type { Verdict } from '../guards/guard.ts'
import { type NormaliseSvcId, normaliserOf, type SvcIdCase } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import { getOrInsert } from '../model/group-by.ts'
import { canonicalJson, isJsonObject, isMapping, type Json } from '../model/json.ts'
import type { Section } from '../model/kind.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { CausedElement, ChangeDocument, PlanDocument, StepDocument, UpcomingDocument } from './plan-document.ts'

/** The digest of a text that comes in parts, as `sha256:…`. */
export type Digest = (parts: Iterable<string>) => string

/** The meaning of the manifests for the selected objects, in the order of addresses, without wording or places. */
export function* manifestsText(desired: readonly Desired[]): Generator<string> {
  for (const object of desired) yield `${objectText(object)}\n`
}

function objectText(object: Desired): string {
  const { address, spec, collections, absent, partial, previously, since } = object
  const { section } = object.declarations[0]
  // An id that was looked up for a declared name: only an object that lacks the name has it.
  const found = fieldsOf(section).names.flatMap(({ field, id }) => (spec[field] === undefined ? [] : id))
  let text = `${address}\n`
  for (const field of getOrInsert(sortedBySection, section, sortedFields)) {
    const value = spec[field]
    if (value === undefined || found.includes(field)) continue
    text += `${field}:${typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)}\n`
  }
  for (const name of Object.keys(collections).sort()) {
    const { mode, parts, elements } = collections[name] as Desired['collections'][string]
    const listed = JSON.stringify([...elements.keys()].sort())
    text += `${name} ${mode} ${parts === 'all' ? 'all' : JSON.stringify([...parts].sort())} ${listed}\n`
  }
  for (const [name, gone] of Object.entries(since?.takesEntries ? since.entries : {}))
    text += `${name} no more ${JSON.stringify([...gone.keys()].sort())}\n`
  if (since?.deletion) text += `${JSON.stringify(since.deletion)}\n`
  const isMarked = absent || partial || previously !== undefined
  return isMarked ? text + JSON.stringify([absent, partial, previously ?? null]) : text
}

const sortedBySection = new WeakMap<Section, readonly string[]>()
const sortedFields = (section: Section): readonly string[] => [...fieldsOf(section).fields].sort()

/** Facts behind verdicts and requests that a plan does not show. */
export interface PlanFacts {
  readonly svcIds: SvcIdCase
  /** Declared accounts that steps refer to and that need nothing themselves: they have to be there. */
  readonly accounts: readonly string[]
  /** Declared objects without steps that guards look at: who is in them decides whether somebody is left elsewhere. */
  readonly behind: readonly string[]
  /** Entries in all lists of a kind that the plan read, where it takes some away: what a share is one of. */
  readonly listed: Readonly<Record<string, number>>
  /** The declared kinds of accounts in lists of changed objects; only with policies. */
  readonly declaredAs: Readonly<Record<string, 'user' | 'group'>>
  /** References with more than the name of a variable of the environment: what else they are resolved with. */
  readonly references: readonly ReferenceFacts[]
  /** As `upcoming` of the plan, of what begins or ends after that. */
  readonly later: readonly UpcomingDocument[]
}

interface ReferenceFacts {
  /** The object that contains it, since the same text may mean another value in another file. */
  readonly address: string
  readonly template: string
  /** The folder of the manifest, from that of the project: `${file:…}` is relative to it. */
  readonly folder?: string
  /** Values of the target's variables. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Texts that are equal where documents, or parts of them, say the same; made here or read from a file. */
export const documentTexts = (svcIds: SvcIdCase): DocumentTexts => new DocumentTexts(normaliserOf(svcIds))

/** Accepted differences with their exceptions, without exceptions that do not affect this plan. */
function exceptedIn({ left, overruled }: NonNullable<PlanDocument['exceptions']>): object[] {
  return [...left, ...overruled].map(({ by: { place: _, ...by }, ...each }) => ({ ...each, by }))
}

class DocumentTexts {
  readonly #normalise: NormaliseSvcId

  constructor(normalise: NormaliseSvcId) {
    this.#normalise = normalise
  }

  /** Everything that a plan shows and rests on, but for when, by whom, places, causes, wordings and `--allow`. */
  *content(plan: Omit<PlanDocument, 'digest'>, facts: PlanFacts): Generator<string> {
    const { released, overwritten, gained, lost } = plan.counts
    yield `${canonicalJson(headOf(plan, facts) as unknown as Json)}\n`
    // Why, the platform words as it likes, and hints name what the application may read.
    yield* this.#sorted(plan.unreadable.map(({ address, code = null }) => ({ address, code })))
    yield* this.#sorted(plan.unverifiable)
    yield* this.#sorted(plan.prune?.kept ?? [])
    if (plan.access !== undefined && holdsAccess(plan.access)) {
      yield* this.#access(plan.access)
      yield `${JSON.stringify([gained, lost])}\n`
    }
    // The counts equal the contents, and are null without a base: only an edited file says otherwise.
    if (typeof released !== 'number' && (released !== null || overwritten !== null))
      yield `${released} ${overwritten}\n`
    yield* miscounted(plan)
    if (plan.noLongerDeclared?.length) yield* this.#sorted(plan.noLongerDeclared.map(withoutPlaces))
    if (plan.weakened?.length) yield* this.#sorted(plan.weakened.map(withoutPlaces))
    yield* this.#sorted(plan.warnings.filter(({ code }) => !codesWithoutEffect.has(code)).map(withoutPlaces))
    yield* this.#sorted(plan.guards.map(findingOf))
    // The plan's time decides whether something is within the next days.
    yield* this.#sorted([...plan.upcoming, ...facts.later].map(withoutPlaces))
    if (plan.exceptions !== undefined) yield* this.#sorted(exceptedIn(plan.exceptions))
    for (const change of plan.changes) yield `${this.change(change)}\n`
    for (const step of plan.steps) yield `${this.#step(step)}\n`
  }

  change({ address, kind, action, differences, prunedBy = '', ended }: ChangeDocument): string {
    const own = differences.map((each) => this.#difference(each))
    return JSON.stringify([action, kind, address, prunedBy, own, ...(ended ? [ended.at, ended.shown] : [])])
  }

  /** One text for what is compared as one: svcIds by their keys, companies by their guids or not at all. */
  readonly comparable = (value: object): string => canonicalJson(this.#comparable(value as unknown as Json))

  /** Other answers show whether a platform tells companies: none, and not told, are equal here. */
  #comparable(value: Json, names?: 'shown'): Json {
    if (Array.isArray(value)) return value.map((part: Json) => this.#comparable(part, names))
    if (!isMapping(value)) return value
    const { company, svcId, about } = value
    const result: Record<string, Json | undefined> = {}
    for (const [key, part] of Object.entries(value)) result[key] = part && this.#comparable(part, names)
    if (typeof svcId === 'string') result.svcId = this.#normalise(svcId)
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

  #shown(value: object): string {
    return canonicalJson(this.#comparable(value as unknown as Json, 'shown'))
  }

  *#sorted(items: readonly object[]): Generator<string> {
    const texts = items.map((item) => this.#shown(item))
    yield `${texts.sort().join('\n')}\n\n`
  }

  /** Fixed order in place of sorted keys: the steps of a large plan are most of its text. */
  #step(step: StepDocument): string {
    const { id, address, kind, verb, collection, spec, elements, collections, at, dependsOn, follows, liveDigest } =
      step
    const { rotates, restsOn } = step
    const head = JSON.stringify([id, address, kind, verb, collection ?? null, dependsOn, follows ?? [], liveDigest])
    // Most steps of a large plan have no elements.
    const lists = elements === undefined && collections === undefined ? '' : this.#shown({ elements, collections })
    const more = [
      rotates === undefined ? '' : ` rotates ${JSON.stringify(rotates)}`,
      restsOn === undefined ? '' : ` rests on ${JSON.stringify(restsOn)}`,
    ]
    return `${head} ${spec === undefined ? '' : canonicalJson(spec)} ${lists} ${canonicalJson(at)}${more.join('')}`
  }

  #element({ cause: _, ...element }: CausedElement): string {
    if (element.svcId === undefined) return this.#shown(element)
    const { svcId, level = '', company } = element
    if (!company) return `${this.#normalise(svcId)} ${level}`
    return JSON.stringify([this.#normalise(svcId), level, company.guid.toLowerCase(), company.name, company.id ?? ''])
  }

  #difference(difference: ChangeDocument['differences'][number]): unknown[] {
    const { place: _, cause: __, path, before, after, masked = false, added, removed, rotates, ...sets } = difference
    const row = [path, valueText(before), valueText(after), masked, ...(rotates ? ['rotates'] : [])]
    if (added === undefined && removed === undefined && Object.keys(sets).length === 0) return row
    const elements = [added, removed].map((list = []) => list.map((each) => this.#element(each)).sort())
    const origins = [sets.throughSets, sets.notInSets, sets.outsideTime].map((items: readonly object[] = []) =>
      items.map((item) => this.#shown(withoutPlaces(item))).sort(),
    )
    return [...row, elements, ...origins, ...(sets.unlisted ? [[...sets.unlisted].sort()] : [])]
  }

  *#access({ gained, lost, changed, unknown, more, unread, looked }: AccessDocument): Generator<string> {
    for (const entries of [gained, lost, changed, unknown])
      yield `${entries
        .map((entry) => this.#entry(entry))
        .sort()
        .join('\n')}\n\n`
    const counts = [more.gained, more.lost, more.changed, more.unknown, unread]
    yield `${JSON.stringify(looked ? [...counts, looked] : counts)}\n`
  }

  #entry(entry: AccessEntry): string {
    const { subject, level, address, company, via, kind, before, unseen, may, perhapsGroup } = entry
    const groups = (svcIds: readonly string[] = []): string[] => svcIds.map((each) => this.#normalise(each))
    const standIns = [entry.substitutions, entry.substitutionsBefore].flatMap((own) =>
      own === undefined
        ? []
        : [own.map(({ address, person, from, until }) => [address, this.#normalise(person), from, until])],
    )
    return JSON.stringify([
      typeof subject === 'string' ? this.#normalise(subject) : orMissing(subject),
      ...[
        orMissing(level),
        address,
        orMissing(company),
        groups(via),
        kind,
        groups(before),
        this.#normalise(unseen ?? ''),
      ],
      ...(may === 'gain' ? [may] : []),
      ...standIns,
      ...(perhapsGroup ? ['group'] : []),
      ...(entry.others ? [entry.others.map(({ level, company }) => [orMissing(level), orMissing(company)])] : []),
    ])
  }
}

/** In a file that somebody wrote, what may be null may be missing as well: that is another text. */
const orMissing = (value: object | string | null | undefined) => (value === undefined ? ['missing'] : value)

function headOf(plan: Omit<PlanDocument, 'digest'>, facts: PlanFacts): object {
  const { tool, target, only, manifestsDigest, kinds } = plan
  const { listed, declaredAs, references, accounts, behind, svcIds } = facts
  // The access part contains them, if there is one.
  const { gained: _, lost: __, unknown: ___, released, overwritten, ...counted } = plan.counts
  return {
    format: plan.formatVersion.split('.')[0] as string,
    tool: tool.version.split('.').slice(0, 2).join('.'),
    target: { ...target },
    only: [...only].sort(),
    manifests: manifestsDigest,
    kinds,
    counts: { ...counted, ...(typeof released === 'number' && { released, overwritten }) },
    facts: { svcIds, accounts, behind, listed, declaredAs, references },
  }
}

/** Counts that differ from the contents. */
function* miscounted({ counts, access }: Omit<PlanDocument, 'digest'>): Generator<string> {
  for (const event of ['gained', 'lost', 'unknown'] as const)
    if (counts[event] !== (access && countAccess(access, event))) yield `${event} ${counts[event]}\n`
}

const valueText = (value: Json | undefined): Json =>
  typeof value === 'object' && value !== null ? [canonicalJson(value)] : value === undefined ? [] : value

/** No write rests on these warnings. */
const codesWithoutEffect: ReadonlySet<string> = new Set(['SVC2072', 'SVC1354', 'SVC1355', 'SVC1807'])

/** And what the message says already. */
const places: ReadonlySet<string> = new Set(['place', 'was', 'listedAt', 'related', 'account'])

function withoutPlaces(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !places.has(key)))
}

/** Refused and allowed are one: what is allowed counts where the plan is applied. */
function findingOf({ verdict, ...finding }: Verdict): object {
  return { ...finding, holds: verdict === 'passed' }
}

/** The form in which a digest is shown: sixteen digits tell plans apart. */
export function shortDigest(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1).slice(0, 16)
}

/** `expected`: digits, as many as are shown or more. */
export function isDigest(digest: string, expected: string): boolean {
  return digest.slice(digest.indexOf(':') + 1).startsWith(expected)
}
