// From a journal and what is live now to declarations of the values before, which are planned like any others.
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { type NormaliseSvcId, objectAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { AssemblySettings } from '@svcsync/core/model/desired.ts'
import { canonicalJson, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { type Kind, kindsByName, type Location } from '@svcsync/core/model/kind.ts'
import type { Live, Unreadable } from '@svcsync/core/model/live.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import type { Source } from '@svcsync/core/model/source.ts'
import type { BegunCommit, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { withAccount } from '@svcsync/core/plan/rest-on-unread.ts'
import type { UnrevertedPart } from '@svcsync/core/saved/invert-lists.ts'
import { invertWork } from '@svcsync/core/saved/invert-work.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { type SentWork, sentWork } from '@svcsync/core/saved/sent-work.ts'
import { AuthorError, type Place, type Problem } from '@svcsync/errors/index.ts'
import type { JournalState } from '@svcsync/journal/read-journal.ts'
import { observe } from '@svcsync/live/observe.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { ReadProject } from '../open/open-project.ts'
import { readNeeds } from '../open/scope-needs.ts'
import { withPolicies } from '../open/with-policies.ts'
import { checkInstallation, installationNeeds } from '../plan/check-installation.ts'
import { type PlanRun, type PlanRunOptions, planRun } from '../plan/plan-run.ts'
import { planFileText } from './plan-file.ts'
import { refuseForeignJournal } from './resume-run.ts'
import { defaultMaxAgeMs, savePlan } from './save-plan.ts'

export interface UndoRun extends PlanRun {
  /** The project with the declarations that were planned. */
  readonly opened: ReadProject
  readonly sent: number
}

interface UndoOptions extends PlanRunOptions {
  readonly shown: string
}

/** A change between look and plan leads to another look, at most this often. */
const mostLooks = 3

/** `given`: the project file alone. Rejects where the journal is another target's or was edited. */
export async function undoRun(
  given: ReadProject,
  client: PlatformClient,
  journal: JournalState,
  options: UndoOptions,
): Promise<UndoRun> {
  refuseForeignJournal(journal, given.project.target)
  const read = await withPolicies(given)
  // The journal knows the given entries, which no longer count as declared.
  const removed = { entries: 'remove', values: 'keep', objects: 'keep' } as const
  // An undo has no declarations of its own, so policies about declarations do not apply.
  const policies = (read.policies ?? []).filter(({ on }) => on === 'change')
  // Without manifests, only everything tells a guard or a policy what groups give to their members.
  const isAsked = read.project.guards.administratorGained === 'refuse' || policies.length > 0
  const access = isAsked ? 'full' : read.project.access
  const project = { ...read.project, prune: {}, removed, access }
  const assembly: AssemblySettings = {
    ...read.assembly,
    collections: 'exclusive',
    privileges: 'exclusive',
    sets: new Map(),
    ends: new Map(),
  }
  // To read substitutions takes a scope of its own: what is undone has read them, or somebody judges substitutes.
  const { looked = [] } = journal.plan.access ?? {}
  const standIns = isAsked || project.kinds.some((kind) => standIn.of(kind) && looked.includes(kind.name))
  const undo = new Undo({ ...read, project, policies, assembly }, client, journal, { ...options, standIns })
  for (let look = 1; ; look++) {
    const planned = await undo.plan(look >= mostLooks)
    if (planned !== undefined) return planned
  }
}

class Undo {
  readonly #opened: ReadProject
  readonly #client: PlatformClient
  readonly #journal: JournalState
  readonly #options: UndoOptions
  readonly #work: readonly SentWork[]
  readonly #known: readonly SentWork[]
  readonly #beyond: readonly UnrevertedPart[]
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #isSelected: (address: string) => boolean
  /** By address: what the platform, or the kind, would not take back. */
  readonly #refused = new Map<string, UnrevertedPart>()

  constructor(opened: ReadProject, client: PlatformClient, journal: JournalState, options: UndoOptions) {
    this.#opened = opened
    this.#client = client
    this.#journal = journal
    this.#options = options
    this.#work = sentWork(journal)
    const { kinds } = opened.project
    this.#kinds = kindsByName(kinds)
    this.#isSelected = selectionOf(options.only, kinds)
    this.#known = this.#work.filter(({ kind }) => this.#kinds.has(kind))
    const unknown = this.#work.filter(({ kind }) => !this.#kinds.has(kind))
    this.#beyond = unknown.map(({ address, kind }): UnrevertedPart => {
      return { address, why: 'lost', text: `This svcsync does not know what a ${kind} is: it stays` }
    })
  }

  /** Undefined: the platform changed meanwhile, or the undo would be incomplete, so the caller reads it again. */
  async plan(isLast: boolean): Promise<UndoRun | undefined> {
    const { declarations, held, left, unread, workOf } = await this.#declarations()
    const kept = withoutUsed(declarations, left, this.#opened.assembly.normalise)
    const chosen = left.filter(({ address }) => this.#isSelected(address))
    const problems = [...this.#opened.problems, ...problemsOf(chosen, this.#work, this.#options.shown)]
    const opened = { ...this.#opened, declarations: kept, problems }
    try {
      const planned = await planRun(opened, this.#client, this.#optionsFor(held, unread))
      if (!isLast && !this.#isStill(planned, workOf)) return undefined
      const sent = [...this.#journal.steps.values()].filter(({ attempts }) => attempts > 0).length
      // Not spread: that would put a plan into words that nobody may ask for.
      return Object.assign(planned, { opened, sent, undoes: true })
    } catch (error) {
      if (!(error instanceof AuthorError) || isLast) throw error
      this.#refuse(error)
      return undefined
    }
  }

  async #declarations() {
    const found = await lookAt(this.#known, this.#opened, this.#client, this.#options)
    const left = [...this.#beyond]
    const declarations: Declaration[] = []
    const held: Declaration[] = []
    const workOf = new Map<Declaration, SentWork>()
    const unread: Unreadable[] = []
    for (const each of this.#known) {
      const { live, trouble, unreadable } = found(each)
      if (unreadable !== undefined) {
        if (this.#isSelected(each.address)) unread.push(unreadable)
        continue
      }
      const inverse = this.#inverseOf(each, live, trouble)
      left.push(...inverse.left)
      if (inverse.item === undefined) continue
      const declaration = this.#declare(each, inverse.item)
      declarations.push(declaration)
      if (inverse.held !== undefined) held.push(this.#declare(each, inverse.held))
      workOf.set(declaration, each)
    }
    return { declarations, held, left, unread, workOf }
  }

  #inverseOf(each: SentWork, live: Live | undefined, trouble?: string): ReturnType<typeof invertWork> {
    const { address } = each
    if (trouble !== undefined) return { left: [{ address, why: 'changed', text: trouble }] }
    const refused = this.#refused.get(address)
    if (refused !== undefined) return { left: [refused] }
    const { normalise, time } = this.#opened.assembly
    return invertWork(each, this.#kinds.get(each.kind) as Kind, live, normalise, time.nowMs)
  }

  #declare(work: SentWork, item: JsonObject): Declaration {
    return declare(work, item, this.#opened.project.kinds, this.#options.shown)
  }

  #optionsFor(held: readonly Declaration[], leaves: readonly Unreadable[]): PlanRunOptions {
    const { shown, only } = this.#options
    const read = { ...this.#opened, declarations: held }
    return {
      ...this.#options,
      journal: { ref: shown, begun: leadsBackTo(this.#journal.plan, only) },
      ...(held.length > 0 && { held: { ref: shown, commit: null, from: 'journal', read } }),
      ...(leaves.length > 0 && { leaves }),
    }
  }

  /** True if the live state still leads to the same declarations. */
  #isStill({ plan }: PlanRun, workOf: ReadonlyMap<Declaration, SentWork>): boolean {
    return plan.changes.every(({ desired, live }) => {
      const [declaration] = desired?.declarations ?? []
      const each = declaration && workOf.get(declaration)
      if (declaration === undefined || each === undefined) return true
      const { item } = this.#declare(each, this.#inverseOf(each, live).item ?? {})
      return canonicalJson(item as Json) === canonicalJson(declaration.item as Json)
    })
  }

  /** Refused parts stay, and the rest is undone. */
  #refuse(error: AuthorError): void {
    const own = error.problems.filter(
      ({ severity, address }) => severity === 'error' && this.#known.some((each) => each.address === address),
    )
    if (own.length === 0) throw error
    for (const { address = '', message } of own)
      this.#refused.set(address, { address, why: 'lost', text: `It cannot be reverted: ${message}` })
  }
}

/** The ledger's memory: the former declarations are given back. An undo of an undo leads to its own state. */
function leadsBackTo({ base, only, createdAt }: PlanDocument, own: readonly string[]): readonly BegunCommit[] {
  if (base?.from === 'journal') return []
  const part = own.length > 0 ? own : only
  return [{ commit: base?.commit ?? null, at: base?.at ?? createdAt, only: part, undo: true }, ...(base?.begun ?? [])]
}

/** The plan file for carrying the undo out elsewhere, resuming it, or undoing it in turn: it has no manifests. */
export async function saveUndo(
  undone: UndoRun,
  client: PlatformClient,
  maxAgeMs: number = defaultMaxAgeMs,
): Promise<SavedPlan> {
  return JSON.parse(planFileText(await savePlan(undone.opened, client, undone, { maxAgeMs }))) as SavedPlan
}

async function lookAt(
  work: readonly SentWork[],
  { project, assembly }: ReadProject,
  client: PlatformClient,
  options: UndoOptions,
): Promise<
  (each: SentWork) => {
    readonly live: Live | undefined
    readonly trouble?: string
    readonly unreadable?: Unreadable | undefined
  }
> {
  const { shown, onProgress } = options
  const { kinds } = project
  const byName = kindsByName(kinds)
  const bare = new Map(work.map((each) => [declare(each, bareItem(each, byName), kinds, shown), each]))
  const declarations = [...bare.keys()]
  await client.authorise([...readNeeds(declarations), ...installationNeeds(project)])
  await checkInstallation(project, client, { applies: true })
  const { databases } = project.target
  const asWritten = assembleDesired(declarations, asWrittenDirectory(databases, kinds), assembly)
  const { desired, live } = await observe(client, declarations, asWritten.desired, {
    ...assembly,
    kinds,
    databases,
    pageSize: project.settings.pageSize,
    only: [],
    ...(onProgress && { onProgress }),
  })
  const objectOf = new Map(
    desired.flatMap((object) => {
      const each = bare.get(object.declarations[0])
      return each === undefined ? [] : [[each, object] as const]
    }),
  )
  return (each) => {
    const object = objectOf.get(each)
    if (object === undefined) return { live: undefined, trouble: 'It is not found on the platform any more' }
    const unreadable = live.unreadable.get(object.address)
    // If no list of names was readable, the object has the address of its guid.
    return {
      live: live.objects.get(object.address),
      unreadable: unreadable && { ...withAccount(unreadable, object), address: each.address },
    }
  }
}

/** It names its lists, so that they are read; a renamed object may have either name. */
function bareItem({ fields, kind }: SentWork, kinds: ReadonlyMap<string, Kind>): JsonObject {
  const { sections, collections } = kinds.get(kind) as Kind
  const lists = fieldsOf(sections[0]).collections
  const renamed = fields.find(({ path }) => path === sections[0].identity)
  return {
    ...Object.fromEntries(lists.map(({ field, collection }) => [field, collections[collection]?.toManifest([])])),
    ...(renamed !== undefined && { previously: String(renamed.before) }),
  }
}

/** An item of a manifest for the object of a step, with its parents by guid. */
function declare(
  { kind: name, at, fields, ...where }: SentWork,
  item: JsonObject,
  kinds: readonly Kind[],
  shown: UndoOptions['shown'],
): Declaration {
  const kind = kinds.find((each) => each.name === name) as Kind
  const renamed = fields.find(({ path }) => path === kind.sections[0].identity)
  const own = item.previously !== undefined && renamed && item.previously === renamed.after
  const place = placeOf(shown, where)
  const source = { file: place.file, placeAt: () => place }
  return declarationAt(kind, own ? { ...at, name: String(renamed.before) } : at, item, kinds, source)
}

function declarationAt(
  kind: Kind,
  at: Location,
  item: JsonObject,
  kinds: readonly Kind[],
  source: Source,
): Declaration {
  const [section] = kind.sections
  const outer = kinds.find(({ name }) => name === kind.parent)
  const identity = kind.lookup === undefined ? at.name : at[section.identity]
  const named = outer !== undefined && section.schema.properties[outer.name] !== undefined
  const container = named ? at[outer.sections[0].identity] : undefined
  return {
    kind,
    section,
    source,
    item: {
      [section.identity]: String(identity),
      ...(named && container !== undefined && { [outer.name]: String(container) }),
      ...item,
    },
    ...(at.dbId !== undefined && { database: String(at.dbId) }),
    ...(kind.scope === 'parent' && outer && { parent: declarationAt(outer, at, {}, kinds, source) }),
  }
}

/** An account that would go, and that has been put into a list since, stays. */
function withoutUsed(
  declarations: readonly Declaration[],
  left: UnrevertedPart[],
  normalise: NormaliseSvcId,
): readonly Declaration[] {
  const namedIn = (value: Json | undefined): readonly string[] =>
    typeof value === 'string'
      ? [normalise(value)]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(namedIn)
        : []
  const uses = declarations.filter(({ item }) => item.absent !== true)
  return declarations.filter(({ item, kind, section }) => {
    if (item.absent !== true) return true
    const own = String(item[section.identity])
    const user = uses.find((other) =>
      namedIn({ ...other.item, [other.section.identity]: undefined }).includes(normalise(own)),
    )
    if (user === undefined) return true
    const where = String(user.item[user.section.identity])
    left.push({
      address: objectAddress(kind, own),
      why: 'changed',
      text: `The ${user.kind.name} \`${where}\` uses it: it stays`,
    })
    return false
  })
}

/** Lines of a journal in a ref are those of the file in it. */
function placeOf(shown: string, { line, column }: Pick<SentWork, 'line' | 'column'>): Place {
  return { file: shown === 'git:' ? 'git:journal.jsonl' : shown, line, column }
}

function problemsOf(left: readonly UnrevertedPart[], work: readonly SentWork[], shown: string): Problem[] {
  const places = new Map(work.map((each) => [each.address, placeOf(shown, each)]))
  return left.map(
    ({ address, why, text }): Problem => ({
      code: why === 'lost' ? 'SVC2260' : 'SVC2261',
      severity: 'warning',
      address,
      place: places.get(address),
      message: text,
      hint:
        why === 'lost'
          ? 'Undo cannot take that back: see to it by hand, or in the manifests.'
          : 'Undo leaves what somebody has changed since: see to it by hand, or in the manifests.',
    }),
  )
}
