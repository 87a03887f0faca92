// Manifest files → declarations and problems: the only way in.
import { relative, sep } from 'node:path'
import { type DocumentEvent, EVENT_ID, type Event } from 'js-yaml'
import type { AccountSet } from '../core/account-sets.ts'
import type { Declaration } from '../core/declaration.ts'
import { isJsonObject } from '../core/json.ts'
import type { Kind } from '../core/kind.ts'
import { compareProblems, type Problem } from '../errors/index.ts'
import { bindAliases } from './bind-aliases.ts'
import { DeclarationCollector } from './declaration-collector.ts'
import { hideCredentials } from './hide-credentials.ts'
import { type ManifestShape, manifestShapeOf } from './manifest-shape.ts'
import { isParsed, parseYaml } from './parse-yaml.ts'
import { isSource, readText } from './read-text.ts'
import type { WalkSettings } from './reading.ts'
import { Resolver } from './resolver.ts'
import { collectSets } from './sets-schema.ts'
import type { TextSource } from './text-source.ts'
import { Walk } from './walk.ts'
import { describeEvent } from './wording.ts'

export interface LoadOptions {
  /** Absolute paths, as `findManifestFiles` gives them. */
  readonly files: readonly string[]
  readonly kinds: readonly Kind[]
  /** Of the target, for `${var:…}`. */
  readonly variables: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute; `${file:…}` leads nowhere outside it. */
  readonly projectDir: string
  /** Places show paths relative to this folder: the working folder. */
  readonly displayBase: string
}

export interface LoadResult {
  /** In the order of files and of items; sound where `problems` holds no error, else as much as could be read. */
  readonly declarations: readonly Declaration[]
  /** Of all files, in order of place. */
  readonly problems: readonly Problem[]
  /** Named sets of accounts. */
  readonly sets: ReadonlyMap<string, AccountSet>
  /** By file as shown in places: what `codeFrame` needs. */
  readonly sources: ReadonlyMap<string, TextSource>
}

/** Visits of events through aliases, in one load: hundreds of thousands of values, which no honest manifest needs. */
const aliasBudget = 1_000_000

/** Reads, parses and checks all files. Never throws for what stands in them: everything wrong is in `problems`. */
export function loadManifests(options: LoadOptions): LoadResult {
  const declarations: Declaration[] = []
  const problems: Problem[] = []
  const sets = new Map<string, AccountSet>()
  const sources = new Map<string, TextSource>()
  const shape = manifestShapeOf(options.kinds)
  const settings: WalkSettings = {
    root: 'a manifest',
    resolver: new Resolver(options),
    homes: shape.homes,
    budget: { left: aliasBudget },
  }
  for (const path of options.files) {
    const source = readText(path, shownPath(path, options.displayBase))
    if (!isSource(source)) {
      problems.push(source)
      continue
    }
    sources.set(source.file, source)
    loadFile(source, path, shape, settings, { declarations, sets, problems })
  }
  return { declarations, sets, problems: distinct(problems), sources }
}

/** A path as people see it: relative to `base`, with forward slashes. */
export function shownPath(path: string, base: string): string {
  const shown = relative(base, path)
  return (shown === '' ? path : shown).split(sep).join('/')
}

interface Loading {
  readonly declarations: Declaration[]
  readonly sets: Map<string, AccountSet>
  readonly problems: Problem[]
}

function loadFile(
  source: TextSource,
  path: string,
  shape: ManifestShape,
  settings: WalkSettings,
  { declarations, sets, problems }: Loading,
): void {
  const events = parseYaml(source)
  if (!isParsed(events)) {
    problems.push(events)
    return
  }
  const before = problems.length
  const collector = new DeclarationCollector(declarations, problems, source)
  const walk = new Walk(source, path, events, bindAliases(events, source, problems), settings, problems, collector)
  while (walk.index < events.length) {
    walk.document = events[walk.index++] as DocumentEvent
    checkVersion(walk)
    const root = events[walk.index] as Event
    if (root.type === EVENT_ID.SCALAR && describeEvent(walk, root, false) === 'nothing') {
      walk.index++
    } else {
      walk.field = ''
      walk.inList = false
      const value = walk.read(shape.document, walk.startAt(walk.index, 0))
      const database = isJsonObject(value) ? value.database : undefined
      if (isJsonObject(value)) collectSets(value.sets, source, sets, problems)
      collector.endDocument(typeof database === 'string' ? database : undefined)
    }
    walk.index++
  }
  if (problems.length > before) hideCredentials(walk)
}

function checkVersion(walk: Walk): void {
  const directive = walk.document?.directives.find(({ kind }) => kind === 'yaml')
  if (directive?.kind !== 'yaml' || directive.version === '1.2') return
  walk.report(
    'SVC1003',
    `Manifests are YAML 1.2, and the file says ${directive.version}`,
    Math.max(walk.text.indexOf('%YAML'), 0),
    'Remove the line: values mean what their fields want, in every version.',
  )
}

/** Sorted, each once: an anchored value is read wherever it is used, and may be wrong each time. */
function distinct(problems: Problem[]): Problem[] {
  const sorted = problems.sort(compareProblems)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || compareProblems(before, problem) !== 0 || problem.place === undefined
  })
}
