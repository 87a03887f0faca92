// Looks at a platform with the eyes of a project: reads what shows whether plans would work, and notes what it sees.
import { databaseName } from '../../core/assemble/as-written-directory.ts'
import type { Declaration } from '../../core/model/declaration.ts'
import { writtenFor } from '../../core/model/desired.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/model/json.ts'
import { isMisread, type Kind, type LivePart } from '../../core/model/kind.ts'
import type { PlatformPort } from '../../core/model/platform-port.ts'
import type { CaseSeen } from '../../doctor/check-installation.ts'
import type { checkAnswers, checkNames } from '../../doctor/check-objects.ts'
import type { PagesSeen } from '../../doctor/check-pages.ts'
import { failureCodes, isLackingKind, PlatformError, type Problem } from '../../errors/index.ts'
import { type Observation, observe } from '../../live/observe.ts'
import { readItem } from '../../live/read-list.ts'
import { concernsRun, tellUnknownKeys } from '../../live/read-object.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { readFirstPages, readInOtherCase, readSome, readWholeList } from './doctor-reads.ts'

export function newLook() {
  return {
    databases: { found: [] as string[], missing: [] as string[], unknown: [] as string[] },
    /** Undefined: they could not be looked up. */
    names: undefined as Parameters<typeof checkNames>[0],
    /** How many objects and lists were read. */
    read: 0,
    failures: [] as Parameters<typeof checkAnswers>[0]['failures'][number][],
    /** Titles of kinds that the installation says it has nothing of. */
    lacking: [] as string[],
    pages: [] as PagesSeen[],
    /** Items of lists, by what they are called. */
    lists: new Map<string, readonly JsonObject[]>(),
    groups: [] as JsonObject[],
    constants: [] as JsonObject[],
    accounts: [] as JsonObject[],
    users: [] as JsonObject[],
    svcIdCase: undefined as CaseSeen | undefined,
    /** Lists with items, or objects, that cannot be understood, and why the first of them cannot. */
    misread: [] as string[],
    /** Objects with fields that may be told under names that nobody knows. */
    doubtful: [] as { readonly kind: Kind; readonly part: LivePart }[],
  }
}

type Look = ReturnType<typeof newLook>

interface LookOptions {
  readonly kinds: readonly Kind[]
  /** Those that the application may read, and the manifests are about. */
  readonly readable: ReadonlySet<Kind>
}

/** Rejects with what ends the whole run: a platform that is not reached, or refuses the token. */
export async function look(port: PlatformPort, opened: OpenedProject, { kinds, readable }: LookOptions): Promise<Look> {
  const seen = newLook()
  const { project, assembly, declarations } = opened
  const { databases } = project.target
  const { pageSize } = project.settings

  const attempt = async (what: string, read: () => Promise<void>): Promise<void> => {
    try {
      await read()
    } catch (error) {
      if (concernsRun(error) || !(error instanceof PlatformError)) throw error
      const { message, code, hint } = error
      if (isLackingKind(error)) seen.lacking.push(what)
      else seen.failures.push({ what, message, code, hint })
    }
  }

  const noteMisread = (what: string, of: number, reasons: readonly string[]): void => {
    for (const reason of new Set(reasons)) {
      const count = reasons.filter((each) => each === reason).length
      seen.misread.push(`${what}: ${count} of ${of} cannot be read: ${reason}`)
    }
  }

  const keep = (what: string, kind: Kind, items: readonly JsonObject[]): void => {
    seen.read += 1
    seen.lists.set(what, items)
    tellUnknownKeys(port, kind, items)
    const parts = items.map((item) => readItem(port, kind, item, {}))
    for (const part of parts) if (!isMisread(part)) noteDoubts(kind, part)
    noteMisread(
      what,
      items.length,
      parts.flatMap((part) => (isMisread(part) ? part.misread : [])),
    )
  }

  const noteDoubts = (kind: Kind, part: LivePart): void => {
    if (part.doubted !== undefined) seen.doubtful.push({ kind, part })
  }

  const lookAtAccounts = (kind: Kind) =>
    attempt(kind.title, async () => {
      const list = kind.requests.list?.({})
      if (list === undefined) return
      const { pages, items } = await readFirstPages(port, kind, list, pageSize)
      seen.pages.push(pages)
      keep(kind.title, kind, items)
      seen.accounts.push(...items)
      if (kind.provides === 'user') seen.users.push(...items)
      // One question is enough, and users are likelier to be told apart by case.
      const asks = kind.provides === 'user' || !readable.has(kinds.find(({ provides }) => provides === 'user') as Kind)
      const [some, svcIdCase] = await Promise.all([
        kind.parseItem === undefined ? [] : readFew(kind, kind.title, items, {}),
        asks ? readInOtherCase(port, kind, items) : undefined,
      ])
      seen.svcIdCase ??= svcIdCase
      seen.groups.push(...some)
      seen.accounts.push(...some)
    })

  const readFew = async (
    kind: Kind,
    what: string,
    items: readonly JsonObject[],
    at: { readonly dbId?: number; readonly process?: string },
  ) => {
    const answers = await readSome(port, kind, items, at, (part) => noteDoubts(kind, part))
    const understood = answers.filter((answer) => answer !== undefined && typeof answer !== 'string')
    const reasons = answers.filter((answer) => typeof answer === 'string')
    noteMisread(`${what}, read one by one`, understood.length + reasons.length, reasons)
    seen.read += understood.length
    tellUnknownKeys(port, kind, understood)
    return understood
  }

  const lookAtList = (kind: Kind, what: string, at: { readonly dbId?: number; readonly process?: string }) =>
    attempt(what, async () => {
      const list = kind.requests.list?.(at)
      if (list === undefined) return
      const items = await readWholeList(port, list)
      keep(what, kind, items)
      const some = await readFew(kind, what, items, at)
      if (Object.values(kind.sections[0].schema.properties).some(({ inherited }) => inherited))
        seen.constants.push(...some)
    })

  const isReadable = ({ kind }: Declaration): boolean => readable.has(kind)

  const lookAtNames = (present: ReadonlySet<string>): Promise<Observation | undefined> => {
    const found = declarations.filter((each) => namesOthers(each.kind) && isReadable(each))
    const isWhole = Object.keys(databases).every((name) => present.has(name))
    // What belongs to no database may name something in any of them.
    const named = found.filter(
      ({ kind, database }) =>
        (isWhole && kind.scope === 'installation') || present.has(databaseName(databases, database) ?? ''),
    )
    const counts = { looked: named.length, left: found.length - named.length }
    let observation: Observation | undefined
    return attempt('Names', async () => {
      if (named.length === 0) {
        seen.names = { ...counts, problems: [] }
        return
      }
      const isNamed = new Set(named)
      const asWritten = opened.desired.filter((object) => writtenFor(object).every((each) => isNamed.has(each)))
      observation = await observe(port, named, asWritten, {
        ...assembly,
        databases,
        kinds: new Map(kinds.map((kind) => [kind.name, kind])),
        only: [],
        pageSize,
      })
      const problems = observation.problems.filter(
        (problem) => !opened.problems.some((known) => isSame(known, problem)),
      )
      seen.names = { ...counts, problems }
      seen.read += [...observation.live.objects.values()].filter(
        ({ kind, collections }) => kind.requests.read && Object.keys(collections).length > 0,
      ).length
      for (const {
        address,
        reason,
        code = failureCodes.permissionMissing,
        hint,
        isLacking,
      } of observation.live.unreadable.values()) {
        // Its list has said it.
        if (!isLacking) seen.failures.push({ what: address, message: reason, code, hint })
      }
    }).then(() => observation)
  }

  const lookAtDatabases = Object.entries(databases).map(async ([name, dbId]) => {
    const label = `${name} = ${dbId}`
    const request = databaseRequest(kinds, readable, dbId)
    if (request === undefined) return seen.databases.unknown.push(label)
    try {
      await port.send({ method: 'GET', path: request })
      return seen.databases.found.push(label)
    } catch (error) {
      if (concernsRun(error) || !(error instanceof PlatformError)) throw error
      return error.code === failureCodes.notFound
        ? seen.databases.missing.push(label)
        : seen.databases.unknown.push(label)
    }
  })
  await Promise.all(lookAtDatabases)
  const present = Object.entries(databases).filter(
    ([name, dbId]) => !seen.databases.missing.includes(`${name} = ${dbId}`),
  )
  const [observation] = await Promise.all([
    lookAtNames(new Set(present.map(([name]) => name))),
    ...[...readable].filter(({ provides }) => provides !== undefined).map(lookAtAccounts),
    ...[...readable]
      .filter(({ scope, provides }) => scope === 'installation' && provides === undefined)
      .map((kind) => lookAtList(kind, kind.title, {})),
    ...[...readable]
      .filter(({ scope, lifecycle }) => scope === 'database' && lifecycle === 'kept')
      .flatMap((kind) => present.map(([name, dbId]) => lookAtList(kind, `${kind.title} of ${name}`, { dbId }))),
  ])
  await lookBelow(observation)
  return seen

  /** One list inside what was found by name: installations differ in the scopes that they want for it. */
  async function lookBelow(found: Observation | undefined): Promise<void> {
    for (const kind of [...readable].filter(({ scope, lifecycle }) => scope === 'parent' && lifecycle === 'kept')) {
      const parents = new Set(declarations.filter((each) => each.kind === kind).map(({ parent }) => parent))
      const outer = found?.desired.find((object) => writtenFor(object).some((each) => parents.has(each)))
      if (outer !== undefined) await lookAtList(kind, `${kind.title} of ${outer.address}`, outer.at)
    }
  }
}

/** A list of the database that the application may read. */
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

/** Lists of privileges among the answers, wherever they were asked for. */
export function privilegesIn(answer: Json | undefined): readonly Json[] | undefined {
  const list = isJsonObject(answer) ? answer.privileges : undefined
  return Array.isArray(list) ? (list as readonly Json[]) : undefined
}

/** The first items of a list tell its keys. */
const enoughItems = 50

/** Adds the keys of an answer and of all that stands in it. */
export function addKeys(answer: Json | undefined, keys: Set<string>): void {
  if (Array.isArray(answer)) for (const item of (answer as readonly Json[]).slice(0, enoughItems)) addKeys(item, keys)
  if (!isJsonObject(answer)) return
  for (const [key, value] of Object.entries(answer)) {
    keys.add(key)
    addKeys(value, keys)
  }
}

/** Itself, which is found by its name, or others in its lists. */
function namesOthers({ lifecycle, collections }: Kind): boolean {
  return (
    lifecycle === 'found' || Object.values(collections).some(({ of, about }) => of === 'items' && about !== undefined)
  )
}
