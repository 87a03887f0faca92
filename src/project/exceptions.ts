// The file of exceptions beside the project file: accepted differences with their ends and reasons.
import { join, resolve } from 'node:path'
import { kindsAt } from '@svcsync/core/model/address.ts'
import {
  type AccessException,
  type DifferenceException,
  type Exception,
  exceptedKey,
  isAccessException,
  showException,
} from '@svcsync/core/model/exception.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { filledText, type ObjectSchema } from '@svcsync/core/model/schema.ts'
import { fieldsOf, isWriteOnly, schemaAt } from '@svcsync/core/model/schema-fields.ts'
import { offsetAt, type Path } from '@svcsync/core/model/source.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { compareProblems, errorAt, formatPlace, inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { itemsIn, readDocument, textIn as writtenIn } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { type MappingShape, mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import type { Project } from './project.ts'

const defaultExceptions = 'exceptions.yaml'

export function exceptionsFile({ dir, exceptions }: Pick<Project, 'dir' | 'exceptions'>): string {
  return resolve(dir, exceptions?.file ?? defaultExceptions)
}

/** The file that `access accept` wrote before all exceptions had one file. */
export function baselineFile({ dir }: Pick<Project, 'dir'>): string {
  return join(dir, 'access-baseline.yaml')
}

/** In the order in which they are read, and written. */
export const accessKeys = ['person', 'level', 'object', 'company'] as const
export const exceptionKeys = ['address', 'path', 'entry', 'level', 'company', 'target', 'until', 'reason'] as const

const company = (without: string) =>
  filledText(`The business entity of the level, by name or code. Without it: ${without}.`, 'PL01')

function accessProperties(kinds: readonly Kind[]): ObjectSchema['properties'] {
  return {
    person: filledText('The svcId of the account.', 'anna.nowak@example.com'),
    level: {
      type: 'string',
      enum: levelsOf(kinds),
      description: 'The level; `owner` for the owner of a group.',
      examples: ['ReadOnly'],
    },
    object: filledText('The address of the object, as `svcsync access list` shows it.', 'application/main/Purchasing'),
    company: company('every entry of the level'),
  }
}

const terms: ObjectSchema['properties'] = {
  target: filledText('The target of the exception. Default: all targets.', 'prod'),
  until: filledText('The last day, or a moment with its offset. After it, the difference is drift.', '2027-03-31'),
  reason: filledText('The reason, for later readers.', 'Migration of the archive, ticket 4711', 500),
}

const description = 'Accepted differences from the manifests, with end and reason: one item for each.'

const fileSchema = (items: ObjectSchema): ObjectSchema => ({
  type: 'object',
  required: ['exceptions'],
  properties: { exceptions: { type: 'array', description, items } },
})

export function exceptionsSchemaOf(kinds: readonly Kind[]): ObjectSchema {
  return fileSchema({
    type: 'object',
    inLine: true,
    required: ['until', 'reason'],
    description: 'An accepted difference, or accepted access.',
    properties: {
      address: filledText(
        'The address of the object. Without `path`, the exception accepts that the object exists, or is missing.',
        'constant/main/ErpUrl',
      ),
      path: filledText(
        'The field, with everything below it, or the list that `entry` belongs to, as `svcsync drift` shows it.',
        'test',
      ),
      entry: filledText('The account or licence in the list.', 'anna.nowak@example.com'),
      level: {
        type: 'string',
        enum: levelsOf(kinds).filter((level) => level !== 'owner'),
        description: 'The level, for an entry in privileges.',
        examples: ['ReadOnly'],
      },
      company: company('the entry for all business entities'),
      access: {
        type: 'object',
        inLine: true,
        required: ['person', 'level', 'object'],
        description: 'Access of one account that no manifest declares.',
        properties: accessProperties(kinds),
      },
      ...terms,
    },
  })
}

const baselineSchemaOf = (kinds: readonly Kind[]): ObjectSchema =>
  fileSchema({
    type: 'object',
    inLine: true,
    required: ['person', 'level', 'object', 'until', 'reason'],
    description: 'Access of one account that no manifest declares.',
    properties: { ...accessProperties(kinds), ...terms },
  })

export function levelsOf(kinds: readonly Kind[]): string[] {
  const levels = new Set(['owner'])
  for (const { collections, sections } of kinds) {
    for (const { collection, field } of fieldsOf(sections[0]).collections) {
      const schema = sections[0].schema.properties[field]
      if (collections[collection]?.part === undefined || schema?.type !== 'object') continue
      for (const level of Object.keys(schema.properties)) levels.add(level)
    }
  }
  return [...levels].sort()
}

export function exceptionsShapeOf(kinds: readonly Kind[]): MappingShape {
  return mappingShapeOf(exceptionsSchemaOf(kinds), [])
}

interface ExceptionsText {
  readonly path: string
  readonly source: TextSource
  /** Undefined: nothing can be made of it. */
  readonly root: JsonObject | undefined
}

interface ExceptionsOptions {
  readonly project: Project
  readonly targets: readonly string[]
  readonly normalise: (svcId: string) => string
  /** Places show paths relative to this folder. */
  readonly displayBase: string
  readonly tree?: FileTree | undefined
  /** Texts that take the place of files, by absolute path. */
  readonly texts?: ReadonlyMap<string, TextSource | Problem> | undefined
}

/**
 * Never throws for the content of the file. `exceptions`: of the target, in the order of the files; `all`: of all
 * targets; `file`, `baseline`: undefined where there is no such file, or it cannot be read.
 */
export function readExceptions(options: ExceptionsOptions) {
  const { project, normalise } = options
  const problems: Problem[] = []
  const named = project.exceptions
  const path = exceptionsFile(project)
  const file = readOne(path, 'the file of exceptions', exceptionsSchemaOf, options, problems)
  if (file === undefined && named !== undefined && problems.length === 0) {
    const hint = 'Create it: it begins with `exceptions:`; or remove the line.'
    problems.push(errorAt('SVC1001', `There is no file \`${shownPath(path, options.displayBase)}\``, named.place, hint))
  }
  const before = readOne(baselineFile(project), 'the access baseline', baselineSchemaOf, options, problems)
  const own = file === undefined ? [] : exceptionsIn(file, options, problems)
  const known = new Set(own.map((each) => exceptedKey(each, normalise)))
  // Both files are there where a move was broken off: what is moved counts there.
  const old = before === undefined ? [] : exceptionsIn(before, options, problems)
  const left = old.filter((each) => !known.has(exceptedKey(each, normalise)))
  if (before !== undefined) problems.push(outdatedBaseline(before, path, options))
  reportRepeated(own, options, problems)
  reportRepeated(left, options, problems)
  const all = [...own, ...left]
  const exceptions = all.filter(({ target }) => target === undefined || target === project.targetName)
  return { exceptions, all, problems: problems.sort(compareProblems), file, baseline: before }
}

function outdatedBaseline({ source }: ExceptionsText, path: string, { displayBase }: ExceptionsOptions): Problem {
  return {
    code: 'SVC1344',
    severity: 'warning',
    message: `\`${source.file}\` is read for now: exceptions are in \`${shownPath(path, displayBase)}\``,
    place: source.placeAt(0),
    hint: 'Run `svcsync access accept`: it moves them.',
  }
}

function readOne(
  path: string,
  root: 'the file of exceptions' | 'the access baseline',
  schemaOf: (kinds: readonly Kind[]) => ObjectSchema,
  { project, displayBase, tree = disk, texts }: ExceptionsOptions,
  problems: Problem[],
): ExceptionsText | undefined {
  const given = texts?.get(path)
  if (given === undefined && !tree.exists(path)) return undefined
  const read = given ?? readText(path, shownPath(path, displayBase), tree)
  if (!isSource(read)) {
    problems.push(read)
    return undefined
  }
  const kind = { root, begins: '`exceptions:`', code: 'SVC1003' } as const
  const shape = mappingShapeOf(schemaOf(project.kinds), [])
  return { path, source: read, root: readDocument(read, path, shape, kind, problems) }
}

function exceptionsIn({ root, source }: ExceptionsText, options: ExceptionsOptions, problems: Problem[]): Exception[] {
  return itemsIn(root, 'exceptions').flatMap((item) => readException(item, source, options, problems) ?? [])
}

/** No reference is followed; `$${` is written for `${`, as everywhere. */
const textIn = (item: JsonObject, key: string): string | undefined => writtenIn(item, key)?.replaceAll('$${', '${')

/** A malformed part was reported, and is left out of the item. */
function readException(
  item: JsonObject,
  source: TextSource,
  options: ExceptionsOptions,
  problems: Problem[],
): Exception | undefined {
  const { project, targets } = options
  const access = isJsonObject(item.access) ? item.access : item.person === undefined ? undefined : item
  const pathTo = (key: string): Path => {
    if (item[key] !== undefined) return [key]
    return access !== undefined && access !== item && access[key] !== undefined ? ['access', key] : []
  }
  const placeOf = (key?: string): Place => source.placeAt(offsetAt(source, item, key === undefined ? [] : pathTo(key)))
  const until = textIn(item, 'until')
  const untilMs = until === undefined ? undefined : boundMs(until, true, project.settings.timeZone)
  if (until !== undefined && untilMs === undefined) {
    const hint = 'Write it like `2027-03-31` or `2027-03-31T18:00:00+01:00`.'
    problems.push(errorAt('SVC1310', '`until` is neither a date nor a moment with its offset', placeOf('until'), hint))
  }
  const target = textIn(item, 'target')
  if (target !== undefined && !targets.includes(target)) {
    const hint = suggestion(target, targets) ?? `The targets are ${quoted(targets)}.`
    problems.push(errorAt('SVC1104', `There is no target \`${target}\``, placeOf('target'), hint))
  }
  const isOne = (item.address === undefined) !== (access === undefined)
  if (!isOne) {
    const message = 'An exception is about `address`, or about `access`'
    problems.push(
      errorAt('SVC1346', message, placeOf(), access === undefined ? 'Add one of them.' : 'Keep one of them.'),
    )
    return undefined
  }
  const reason = textIn(item, 'reason')
  const what = access === undefined ? differenceIn(item, options, placeOf, problems) : accessIn(access)
  if (what === undefined || until === undefined || untilMs === undefined || reason === undefined) return undefined
  return { ...what, target, until, untilMs, reason, place: placeOf(), offset: offsetAt(source, item, []), placeOf }
}

type ExceptionTerms = 'target' | 'until' | 'untilMs' | 'reason' | 'place' | 'offset' | 'placeOf'

function accessIn(access: JsonObject): Omit<AccessException, ExceptionTerms> | undefined {
  const [person, level, object] = [textIn(access, 'person'), textIn(access, 'level'), textIn(access, 'object')]
  if (person === undefined || level === undefined || object === undefined) return undefined
  return { person, level, object, company: textIn(access, 'company') }
}

function differenceIn(
  item: JsonObject,
  { project: { kinds } }: ExceptionsOptions,
  placeOf: (key?: string) => Place,
  problems: Problem[],
): Omit<DifferenceException, ExceptionTerms> | undefined {
  const address = textIn(item, 'address')
  if (address === undefined) return undefined
  const own = kindsAt(address, kinds)
  if (own.length === 0) {
    const first = address.slice(0, Math.max(0, address.indexOf('/')))
    const words = kinds.filter(({ scope }) => scope !== 'parent').map(({ segment }) => segment)
    const hint = suggestion(first, words) ?? 'Copy the address from `svcsync drift`, like `constant/main/ErpUrl`.'
    problems.push(errorAt('SVC1332', `No object has the address ${inCode(address)}`, placeOf('address'), hint))
    return undefined
  }
  const [path, entry, level] = [textIn(item, 'path'), textIn(item, 'entry'), textIn(item, 'level')]
  const written = { path, entry, level, company: textIn(item, 'company') }
  const found = pathFinding(own, written)
  if ('key' in found) {
    const { key, message, hint } = found
    problems.push(errorAt('SVC1346', message, placeOf(key), hint))
    return undefined
  }
  return { address, ...written, path: found.path }
}

function reportRepeated(all: readonly Exception[], { normalise }: ExceptionsOptions, problems: Problem[]): void {
  const known = new Map<string, Exception[]>()
  for (const each of all) {
    const key = exceptedKey(each, normalise)
    // For all targets, and for one of them longer, is no contradiction.
    const same = known.get(key)?.find(({ target }) => target === each.target)
    append(known, key, each)
    if (same === undefined) continue
    const verb = isAccessException(each) ? 'accepted' : 'excepted'
    const message = `${inCode(showException(each))} is ${verb} twice`
    const hint = `The other line is at ${formatPlace(same.place)}: keep one of them.`
    const related = [{ message: `${verb} here first`, place: same.place }]
    problems.push({ ...errorAt('SVC1331', message, each.place, hint), related })
  }
}

interface WrittenPath {
  readonly path: string | undefined
  readonly entry: string | undefined
  readonly level: string | undefined
  readonly company: string | undefined
}

/** `key`: with which something is wrong, and what. */
type PathFinding =
  | { readonly path: string | undefined }
  | { readonly key: 'path' | 'entry' | 'level' | 'company'; readonly message: string; readonly hint: string }

/** `path`: as differences have it, where a list has another name in manifests. */
function pathFinding(kinds: readonly Kind[], written: WrittenPath): PathFinding {
  const found = kinds.map((kind) => findingOf(kind, written))
  return found.find((each) => !('key' in each)) ?? (found[0] as PathFinding)
}

function findingOf(kind: Kind, { path, entry, level, company }: WrittenPath): PathFinding {
  const [otherKey] = Object.entries({ entry, level, company }).flatMap(([key, text]) => (text === undefined ? [] : key))
  const key = otherKey as 'entry' | 'level' | 'company' | undefined
  if (path === undefined) {
    if (key === undefined) return { path }
    return { key, message: `\`${key}\` says nothing without \`path\``, hint: 'Name the list, like `path: members`.' }
  }
  const [section] = kind.sections
  const { collections } = fieldsOf(section)
  const list = collections.find(({ collection, field }) => collection === path || field === path)
  if (list !== undefined) return listFinding(kind, list.collection, { path, entry, level, company })
  const words = path.split('.')
  const schema = kind.sections.map((each) => schemaAt(each.schema, words)).find((each) => each !== undefined)
  if (schema === undefined || schema.identity || schema.directive) {
    const known = [...fieldsOf(section).fields, ...collections.map(({ collection }) => collection)]
    const hint = suggestion(path, known) ?? `Its fields and lists are ${quoted(known)}.`
    return { key: 'path', message: `A ${kind.name.replaceAll('-', ' ')} has no field ${inCode(path)}`, hint }
  }
  if (isWriteOnly(schema)) {
    const message = `${inCode(path)} is never compared: the platform does not return it, and an exception hides nothing`
    return { key: 'path', message, hint: 'Remove the exception.' }
  }
  if (key === undefined) return { path }
  return { key, message: `${inCode(path)} is no list`, hint: `Remove \`${key}\`.` }
}

function listFinding(kind: Kind, collection: string, { entry, level, company }: WrittenPath): PathFinding {
  if (entry === undefined) {
    const message = `${inCode(collection)} is a list: an exception names one entry of it`
    return { key: 'path', message, hint: 'Add `entry:`, one line for each.' }
  }
  const hasLevels = kind.collections[collection]?.part !== undefined
  if (hasLevels && level === undefined)
    return { key: 'entry', message: 'The entry has no level', hint: 'Add `level:`, like `level: ReadOnly`.' }
  const extra = hasLevels ? undefined : level !== undefined ? 'level' : company !== undefined ? 'company' : undefined
  if (extra === undefined) return { path: collection }
  return { key: extra, message: `${inCode(collection)} has no levels`, hint: `Remove \`${extra}\`.` }
}
