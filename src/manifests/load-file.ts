// One manifest file → what it declares and what is wrong with it, apart from all others.
import { type DocumentEvent, EVENT_ID, type Event } from 'js-yaml'
import type { AccountSet } from '../core/model/account-sets.ts'
import type { Declaration } from '../core/model/declaration.ts'
import { isJsonObject } from '../core/model/json.ts'
import { offsetAt } from '../core/model/source.ts'
import type { Problem } from '../errors/index.ts'
import { bindAliases } from './bind-aliases.ts'
import { DeclarationCollector } from './declaration-collector.ts'
import { hideCredentials } from './hide-credentials.ts'
import { Lookups } from './lookups.ts'
import type { ManifestShape } from './manifest-shape.ts'
import { isParsed, parseYaml } from './parse-yaml.ts'
import type { References, WalkSettings, Withheld } from './reading.ts'
import { collectSets } from './sets-schema.ts'
import type { TextSource } from './text-source.ts'
import { Walk } from './walk.ts'
import { describeEvent } from './wording.ts'

/** What one file says, and what that depends on besides its text. */
export interface LoadedFile {
  /** Absolute. */
  readonly path: string
  readonly source: TextSource
  readonly declarations: readonly Declaration[]
  readonly problems: readonly Problem[]
  /** In their order. */
  readonly sets: readonly AccountSet[]
  /** What its references led to. */
  readonly lookups: Lookups
  readonly withheld: Readonly<Withheld>
  /** Visits of events through aliases, which all files of a load share; `exceeded`: there were not enough left. */
  readonly visits: { readonly count: number; readonly exceeded: boolean }
}

/** `settings` are those of the whole load; its budget is drawn on. */
export function loadFile(
  source: TextSource,
  path: string,
  shape: ManifestShape,
  settings: WalkSettings & { readonly resolver: References },
): LoadedFile {
  const declarations: Declaration[] = []
  const problems: Problem[] = []
  const sets = new Map<string, AccountSet>()
  const lookups = new Lookups(settings.resolver, path)
  const withheld = { names: new Set<string>(), fields: 0 }
  const { budget } = settings
  const before = budget.left
  readFile(source, path, shape, { ...settings, resolver: lookups, withheld }, { declarations, sets, problems })
  const visits = { count: before - budget.left, exceeded: budget.left < 0 }
  return { path, source, declarations, problems, sets: [...sets.values()], lookups, withheld, visits }
}

interface Loading {
  readonly declarations: Declaration[]
  readonly sets: Map<string, AccountSet>
  readonly problems: Problem[]
}

function readFile(
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
      if (typeof database === 'string') collector.endDocument(database, offsetAt(source, value, ['database']))
      else collector.endDocument(undefined, undefined)
    }
    walk.index++
  }
  if (problems.length > 0) hideCredentials(walk)
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
