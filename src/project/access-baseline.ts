// `access-baseline.yaml`, beside the project file: what people can do that no manifest declares, and that was accepted.
import { join } from 'node:path'
import { type AccessException, exceptionKey } from '@svcsync/core/access/accepted-access.ts'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { filledText, type ObjectSchema } from '@svcsync/core/model/schema.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { compareProblems, errorAt, formatPlace, type Place, type Problem } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { readDocument } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { type MappingShape, mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import type { Project } from './project.ts'

const fileName = 'access-baseline.yaml'

export function baselineFile({ dir }: Pick<Project, 'dir'>): string {
  return join(dir, fileName)
}

/** In the order in which an exception is read: who can do what, how long, and why. */
export const exceptionKeys = ['person', 'level', 'object', 'company', 'target', 'until', 'reason'] as const

export function baselineSchemaOf(kinds: readonly Kind[]): ObjectSchema {
  const exception: ObjectSchema = {
    type: 'object',
    inLine: true,
    required: ['person', 'level', 'object', 'until', 'reason'],
    description: 'What one account can do, and no manifest declares.',
    properties: {
      person: filledText('The svcId of the account.', 'anna.nowak@example.com'),
      level: {
        type: 'string',
        enum: levelsOf(kinds),
        description: 'The level; `owner` of who owns a group.',
        examples: ['ReadOnly'],
      },
      object: filledText(
        'The address of the object, as `svcsync access list` shows it.',
        'application/main/Purchasing',
      ),
      company: filledText('Of a level for one business entity. Without it: whatever it is for.', 'PL01'),
      target: filledText('The target for which it is accepted. Without it: for all.', 'prod'),
      until: filledText(
        'Up to and with this day, or up to a moment with its offset. From then on it is drift.',
        '2027-03-31',
      ),
      reason: filledText(
        'Why it is accepted, for whoever reads it later.',
        'Migration of the archive, ticket 4711',
        500,
      ),
    },
  }
  return {
    type: 'object',
    required: ['exceptions'],
    properties: {
      exceptions: {
        type: 'array',
        description: 'What people can do that no manifest declares, and that was accepted: one item for each.',
        items: exception,
      },
    },
  }
}

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

export function baselineShapeOf(kinds: readonly Kind[]): MappingShape {
  return mappingShapeOf(baselineSchemaOf(kinds), [])
}

export interface AccessBaseline {
  /** Of the target, in the order of the file. */
  readonly exceptions: readonly AccessException[]
  /** In order of place. */
  readonly problems: readonly Problem[]
  /** Undefined: there is no file, or it cannot be read. */
  readonly source: TextSource | undefined
}

interface BaselineOptions {
  readonly project: Project
  /** Names of all. */
  readonly targets: readonly string[]
  readonly kinds: readonly Kind[]
  readonly normalise: (svcId: string) => string
  /** Places show paths relative to this folder. */
  readonly displayBase: string
  /** Default: the disk. */
  readonly tree?: FileTree | undefined
}

/** A project without the file has accepted nothing. Never throws for what stands in it. */
export function readAccessBaseline(options: BaselineOptions): AccessBaseline {
  const { project, kinds, displayBase, tree = disk } = options
  const path = baselineFile(project)
  if (!tree.exists(path)) return { exceptions: [], problems: [], source: undefined }
  const read = readText(path, shownPath(path, displayBase), tree)
  if (!isSource(read)) return { exceptions: [], problems: [read], source: undefined }
  const problems: Problem[] = []
  const kind = { root: 'the access baseline', begins: '`exceptions:`', code: 'SVC1003' } as const
  const root = readDocument(read, path, baselineShapeOf(kinds), kind, problems)
  const items = Array.isArray(root?.exceptions) ? root.exceptions : []
  const all = items.flatMap((item) => (isJsonObject(item) ? (readException(item, read, options, problems) ?? []) : []))
  reportRepeated(all, options, problems)
  const own = all.filter(({ target }) => target === undefined || target === project.targetName)
  return { exceptions: own, problems: problems.sort(compareProblems), source: read }
}

/** What is wrong in its form was reported, and is left out of the item. */
function readException(
  item: JsonObject,
  source: TextSource,
  { project, targets }: BaselineOptions,
  problems: Problem[],
): AccessException | undefined {
  const placeOf = (key?: string): Place =>
    source.placeAt(offsetAt(source, item, key === undefined || item[key] === undefined ? [] : [key]))
  const text = (key: (typeof exceptionKeys)[number]): string | undefined => {
    const value = item[key]
    return typeof value === 'string' ? plainText(value) : undefined
  }
  const until = text('until')
  const untilMs = until === undefined ? undefined : boundMs(until, true, project.settings.timeZone)
  if (until !== undefined && untilMs === undefined) {
    const hint = 'Write it like `2027-03-31` or `2027-03-31T18:00:00+01:00`.'
    problems.push(errorAt('SVC1310', '`until` is neither a date nor a moment with its offset', placeOf('until'), hint))
  }
  const target = text('target')
  if (target !== undefined && !targets.includes(target)) {
    const hint = suggestion(target, targets) ?? `The targets are ${quoted(targets)}.`
    problems.push(errorAt('SVC1104', `There is no target \`${target}\``, placeOf('target'), hint))
  }
  const [person, level, object, reason] = [text('person'), text('level'), text('object'), text('reason')]
  if (person === undefined || level === undefined || object === undefined || reason === undefined) return undefined
  if (until === undefined || untilMs === undefined) return undefined
  return {
    ...{ person, level, object, until, untilMs, reason, target },
    company: text('company'),
    place: placeOf(),
    placeOf,
  }
}

function reportRepeated(all: readonly AccessException[], { normalise }: BaselineOptions, problems: Problem[]): void {
  const known = new Map<string, AccessException[]>()
  for (const each of all) {
    const key = `${exceptionKey(each, normalise)} ${each.company ?? ''}`
    const before = known.get(key) ?? []
    // For all targets, and for one of them longer, is no contradiction.
    const same = before.find(({ target }) => target === each.target)
    known.set(key, [...before, each])
    if (same === undefined) continue
    const message = `\`${each.level}\` of \`${each.person}\` on \`${each.object}\` is accepted twice`
    const hint = `The other line is at ${formatPlace(same.place)}: keep one of them.`
    const related = [{ message: 'accepted here first', place: same.place }]
    problems.push({ ...errorAt('SVC1331', message, each.place, hint), related })
  }
}
