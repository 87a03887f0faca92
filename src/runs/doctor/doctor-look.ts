// Looks at a platform with the eyes of a project: reads what shows whether plans would work, and notes what it sees.
import { databaseName } from '@svcsync/core/assemble/as-written-directory.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { writtenFor } from '@svcsync/core/model/desired.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { isMisread, type Kind, type LivePart } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { checkSvcIdCase } from '@svcsync/doctor/check-installation.ts'
import type { checkAnswers, checkNames } from '@svcsync/doctor/check-objects.ts'
import type { checkPages } from '@svcsync/doctor/check-pages.ts'
import { failureCodes, isLackingKind, type Problem } from '@svcsync/errors/index.ts'
import { itemsOf } from '@svcsync/live/list-items.ts'
import { type Observation, observe } from '@svcsync/live/observe.ts'
import { readItem } from '@svcsync/live/read-list.ts'
import { concernsOne, tellUnknownKeys } from '@svcsync/live/read-object.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { readFirstPages, readInOtherCase, readSamples } from './doctor-reads.ts'

export function newLook() {
  return {
    databases: { found: [] as string[], missing: [] as string[], unknown: [] as string[] },
    /** Undefined: they could not be looked up. */
    names: undefined as Parameters<typeof checkNames>[0],
    read: 0,
    failures: [] as Parameters<typeof checkAnswers>[0]['failures'][number][],
    /** Titles of kinds that the installation says it has nothing of. */
    lacking: [] as string[],
    pages: [] as Parameters<typeof checkPages>[0][number][],
    lists: new Map<string, readonly JsonObject[]>(),
    groups: [] as JsonObject[],
    constants: [] as JsonObject[],
    accounts: [] as JsonObject[],
    users: [] as JsonObject[],
    svcIdCase: undefined as Parameters<typeof checkSvcIdCase>[0],
    /** Lists with items, or objects, that cannot be understood, and why the first of them cannot. */
    misread: [] as string[],
    /** Objects with fields that may be told under names that nobody knows. */
    doubtful: [] as { readonly kind: Kind; readonly part: LivePart }[],
  }
}

type Inspection = ReturnType<typeof newLook>

/** Rejects with what ends the whole run: a platform that is not reached, or refuses the token. */
export async function inspectInstallation(
  port: PlatformPort,
  opened: OpenedProject,
  readable: ReadonlySet<Kind>,
): Promise<Inspection> {
  return new Inspector(port, opened, readable).look()
}

type DatabaseContext = { readonly dbId?: number; readonly process?: string }

class Inspector {
  readonly #port: PlatformPort
  readonly #opened: OpenedProject
  readonly #readable: ReadonlySet<Kind>
  readonly #seen = newLook()

  constructor(port: PlatformPort, opened: OpenedProject, readable: ReadonlySet<Kind>) {
    this.#port = port
    this.#opened = opened
    this.#readable = readable
  }

  async look(): Promise<Inspection> {
    const { databases } = this.#opened.project.target
    await Promise.all(Object.entries(databases).map(([name, dbId]) => this.#lookAtDatabase(name, dbId)))
    const present = Object.entries(databases).filter(
      ([name, dbId]) => !this.#seen.databases.missing.includes(`${name} = ${dbId}`),
    )
    const readable = [...this.#readable]
    const [observation] = await Promise.all([
      this.#lookAtNames(new Set(present.map(([name]) => name))),
      ...readable.filter(({ provides }) => provides !== undefined).map((kind) => this.#lookAtAccounts(kind)),
      ...readable
        .filter(({ scope, provides }) => scope === 'installation' && provides === undefined)
        .map((kind) => this.#lookAtList(kind, kind.title, {})),
      ...readable
        .filter(({ scope, lifecycle }) => scope === 'database' && lifecycle === 'kept')
        .flatMap((kind) => present.map(([name, dbId]) => this.#lookAtList(kind, `${kind.title} of ${name}`, { dbId }))),
    ])
    await this.#lookBelow(observation)
    return this.#seen
  }

  async #attempt(what: string, read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!concernsOne(error)) throw error
      const { message, code, hint } = error
      if (isLackingKind(error)) this.#seen.lacking.push(what)
      else this.#seen.failures.push({ what, message, code, hint })
    }
  }

  #noteMisread(what: string, of: number, reasons: readonly string[]): void {
    for (const reason of new Set(reasons)) {
      const count = reasons.filter((each) => each === reason).length
      this.#seen.misread.push(`${what}: ${count} of ${of} cannot be read: ${reason}`)
    }
  }

  #noteDoubts(kind: Kind, part: LivePart): void {
    if (part.doubted !== undefined) this.#seen.doubtful.push({ kind, part })
  }

  #keep(what: string, kind: Kind, items: readonly JsonObject[]): void {
    this.#seen.read += 1
    this.#seen.lists.set(what, items)
    tellUnknownKeys(this.#port, kind, items)
    const parts = items.map((item) => readItem(this.#port, kind, item, {}))
    for (const part of parts) if (!isMisread(part)) this.#noteDoubts(kind, part)
    const reasons = parts.flatMap((part) => (isMisread(part) ? part.misread : []))
    this.#noteMisread(what, items.length, reasons)
  }

  async #lookAtDatabase(name: string, dbId: number): Promise<void> {
    const { found, missing, unknown } = this.#seen.databases
    const label = `${name} = ${dbId}`
    const request = databaseRequest(this.#opened.project.kinds, this.#readable, dbId)
    if (request === undefined) {
      unknown.push(label)
      return
    }
    try {
      await this.#port.send({ method: 'GET', path: request })
      found.push(label)
    } catch (error) {
      if (!concernsOne(error)) throw error
      const list = error.code === failureCodes.notFound ? missing : unknown
      list.push(label)
    }
  }

  #lookAtAccounts(kind: Kind): Promise<void> {
    const seen = this.#seen
    return this.#attempt(kind.title, async () => {
      const list = kind.requests.list?.({})
      if (list === undefined) return
      const { pages, items } = await readFirstPages(this.#port, kind, list, this.#opened.project.settings.pageSize)
      seen.pages.push(pages)
      this.#keep(kind.title, kind, items)
      seen.accounts.push(...items)
      if (kind.provides === 'user') seen.users.push(...items)
      // One question is enough, and users are likelier to be told apart by case.
      const users = this.#opened.project.kinds.find(({ provides }) => provides === 'user') as Kind
      const asks = kind.provides === 'user' || !this.#readable.has(users)
      const [some, svcIdCase] = await Promise.all([
        kind.parseItem === undefined ? [] : this.#readFew(kind, kind.title, items, {}),
        asks ? readInOtherCase(this.#port, kind, items) : undefined,
      ])
      seen.svcIdCase ??= svcIdCase
      seen.groups.push(...some)
      seen.accounts.push(...some)
    })
  }

  async #readFew(kind: Kind, what: string, items: readonly JsonObject[], at: DatabaseContext) {
    const answers = await readSamples(this.#port, kind, items, at, (part) => this.#noteDoubts(kind, part))
    const understood = answers.filter((answer) => answer !== undefined && typeof answer !== 'string')
    const reasons = answers.filter((answer) => typeof answer === 'string')
    this.#noteMisread(`${what}, read one by one`, understood.length + reasons.length, reasons)
    this.#seen.read += understood.length
    tellUnknownKeys(this.#port, kind, understood)
    return understood
  }

  #lookAtList(kind: Kind, what: string, at: DatabaseContext): Promise<void> {
    return this.#attempt(what, async () => {
      const list = kind.requests.list?.(at)
      if (list === undefined) return
      const items = itemsOf(await this.#port.send({ method: 'GET', path: list.path }), list)
      this.#keep(what, kind, items)
      const some = await this.#readFew(kind, what, items, at)
      if (Object.values(kind.sections[0].schema.properties).some(({ inherited }) => inherited))
        this.#seen.constants.push(...some)
    })
  }

  async #lookAtNames(present: ReadonlySet<string>): Promise<Observation | undefined> {
    const { declarations, project } = this.#opened
    const { databases } = project.target
    const found = declarations.filter(({ kind }) => needsNamesOfOthers(kind) && this.#readable.has(kind))
    const isWhole = Object.keys(databases).every((name) => present.has(name))
    // An object outside of databases may name something in any of them.
    const named = found.filter(
      ({ kind, database }) =>
        (isWhole && kind.scope === 'installation') || present.has(databaseName(databases, database) ?? ''),
    )
    const counts = { looked: named.length, left: found.length - named.length }
    let observation: Observation | undefined
    await this.#attempt('Names', async () => {
      if (named.length === 0) this.#seen.names = { ...counts, problems: [] }
      else observation = await this.#findNames(named, counts)
    })
    return observation
  }

  async #findNames(
    named: readonly Declaration[],
    counts: { readonly looked: number; readonly left: number },
  ): Promise<Observation> {
    const { assembly, desired, project, problems: known } = this.#opened
    const isNamed = new Set(named)
    const asWritten = desired.filter((object) => writtenFor(object).every((each) => isNamed.has(each)))
    const observation = await observe(this.#port, named, asWritten, {
      ...assembly,
      databases: project.target.databases,
      kinds: project.kinds,
      only: [],
      pageSize: project.settings.pageSize,
    })
    const problems = observation.problems.filter((problem) => !known.some((each) => isSame(each, problem)))
    this.#seen.names = { ...counts, problems }
    const { objects, unreadable } = observation.live
    const read = [...objects.values()].filter(
      ({ kind, collections }) => kind.requests.read && Object.keys(collections).length > 0,
    )
    this.#seen.read += read.length
    for (const { address, reason, code = failureCodes.permissionMissing, hint, isLacking } of unreadable.values()) {
      // Its list has said it.
      if (!isLacking) this.#seen.failures.push({ what: address, message: reason, code, hint })
    }
    return observation
  }

  /** One list inside what was found by name: installations differ in the scopes that they want for it. */
  async #lookBelow(found: Observation | undefined): Promise<void> {
    const kinds = [...this.#readable].filter(({ scope, lifecycle }) => scope === 'parent' && lifecycle === 'kept')
    for (const kind of kinds) {
      const own = this.#opened.declarations.filter((each) => each.kind === kind)
      const parents = new Set(own.map(({ parent }) => parent))
      const outer = found?.desired.find((object) => writtenFor(object).some((each) => parents.has(each)))
      if (outer !== undefined) await this.#lookAtList(kind, `${kind.title} of ${outer.address}`, outer.at)
    }
  }
}

function databaseRequest(kinds: readonly Kind[], readable: ReadonlySet<Kind>, dbId: number): string | undefined {
  for (const kind of kinds) {
    if (kind.scope !== 'database' || kind.parent !== undefined || !readable.has(kind)) continue
    const path = kind.lookup?.request({ dbId }).path ?? kind.requests.list?.({ dbId })?.path
    if (path !== undefined) return path
  }
  return undefined
}

function isSame(a: Problem, b: Problem): boolean {
  return (
    a.code === b.code && a.message === b.message && a.place?.line === b.place?.line && a.place?.file === b.place?.file
  )
}

/** Lists of privileges in any answer. */
export function privilegesIn(answer: Json | undefined): readonly Json[] | undefined {
  const list = isJsonObject(answer) ? answer.privileges : undefined
  return Array.isArray(list) ? (list as readonly Json[]) : undefined
}

/** The first items of a list tell its keys. */
const enoughItems = 50

/** Adds the keys of an answer at every depth. */
export function addKeys(answer: Json | undefined, keys: Set<string>): void {
  if (Array.isArray(answer)) for (const item of (answer as readonly Json[]).slice(0, enoughItems)) addKeys(item, keys)
  if (!isJsonObject(answer)) return
  for (const [key, value] of Object.entries(answer)) {
    keys.add(key)
    addKeys(value, keys)
  }
}

/** Itself, which is found by its name, or others in its lists. */
function needsNamesOfOthers({ lifecycle, collections }: Kind): boolean {
  return (
    lifecycle === 'found' || Object.values(collections).some(({ of, about }) => of === 'items' && about !== undefined)
  )
}
