// One manifest file → what it declares and what is wrong with it, apart from all others.
import { dirname, resolve } from 'node:path'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import { type Declaration, placeIn } from '@svcsync/core/model/declaration.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import { offsetAt, type Source } from '@svcsync/core/model/source.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { type DocumentEvent, EVENT_ID, type Event } from 'js-yaml'
import type { manifestShapeOf } from './manifest-shape.ts'
import type { DeclarationSink, Reading, WalkSettings } from './reading.ts'
import { isOutside, isText, type Unresolved } from './resolver.ts'
import { collectSets } from './sets-schema.ts'
import type { Reference } from './template.ts'
import type { TextSource } from './text-source.ts'
import { openWalk } from './walk.ts'
import { describeEvent } from './wording.ts'

/** `settings` are those of the whole load; its budget is drawn on. */
export function loadFile(
  source: TextSource,
  path: string,
  shape: ReturnType<typeof manifestShapeOf>,
  settings: WalkSettings & { readonly resolver: References },
  withholds: boolean,
) {
  const declarations: Declaration[] = []
  const problems: Problem[] = []
  const sets = new Map<string, AccountSet>()
  const lookups = new Lookups(settings.resolver, path)
  const withheld = { needs: new Set<string>(), notAsked: new Set<string>(), fields: 0 }
  const { budget } = settings
  const before = budget.left
  const own = { ...settings, resolver: lookups, ...(withholds && { withheld }) }
  readFile(source, path, shape, own, { declarations, sets, problems })
  const visits = { count: before - budget.left, exceeded: budget.left < 0 }
  return { path, source, declarations, problems, sets: [...sets.values()], lookups, withheld, withholds, visits }
}

function readFile(
  source: TextSource,
  path: string,
  shape: ReturnType<typeof manifestShapeOf>,
  settings: WalkSettings,
  { declarations, sets, problems }: Manifest & { readonly problems: Problem[] },
): void {
  const collector = new DeclarationCollector(declarations, problems, source)
  const walk = openWalk(source, path, settings, problems, collector)
  if (walk === undefined) return
  const { events } = walk
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
      if (isJsonObject(value)) collectSets(value.sets, source, sets, problems)
      collector.endDocument(isJsonObject(value) ? value : undefined)
    }
    walk.index++
  }
}

function checkVersion(walk: Reading): void {
  const directive = walk.document?.directives.find(({ kind }) => kind === 'yaml')
  if (directive?.kind !== 'yaml' || directive.version === '1.2') return
  walk.report(
    'SVC1003',
    `Manifests are YAML 1.2, and the file says ${directive.version}`,
    Math.max(walk.text.indexOf('%YAML'), 0),
    'Remove the line: svcsync reads every file as YAML 1.2.',
  )
}

type OpenDeclaration = { -readonly [K in keyof Declaration]: Declaration[K] }

class DeclarationCollector implements DeclarationSink {
  readonly #declarations: OpenDeclaration[]
  readonly #problems: Problem[]
  readonly #source: Source
  readonly #open: OpenDeclaration[] = []
  /** The index of each of them among the declarations. */
  readonly #openAt: number[] = []
  #documentStart: number

  constructor(declarations: Declaration[], problems: Problem[], source: Source) {
    this.#declarations = declarations
    this.#problems = problems
    this.#source = source
    this.#documentStart = declarations.length
  }

  open({ kind, section }: Pick<Declaration, 'kind' | 'section'>, item: JsonObject): void {
    const parent = this.#open.at(-1)
    const declaration = { kind, section, item, source: this.#source, database: undefined, document: undefined, parent }
    this.#open.push(declaration)
    this.#openAt.push(this.#declarations.length)
    this.#declarations.push(declaration)
  }

  close(sound: boolean): void {
    const declaration = this.#open.pop()
    const index = this.#openAt.pop()
    if (declaration === undefined || index === undefined) return
    const { key } = declaration.kind
    if (key?.fields.every((field) => declaration.item[field] !== undefined)) {
      Object.assign(declaration.item, { key: key.of(declaration.item) })
    }
    if (declaration.item[declaration.section.identity] === undefined) {
      // An item without a name gives no more findings, nor do the items inside.
      this.#declarations.length = index
    } else if (sound) {
      for (const { code, severity = 'error', message, hint, path } of declaration.kind.check?.(declaration.item) ??
        []) {
        this.#problems.push({ code, severity, message, hint, place: placeIn(declaration, path, 'key') })
      }
    }
  }

  /** `database:` may stand anywhere in the document, so its items learn of it, and of its offset, at the end. */
  endDocument(value: JsonObject | undefined): void {
    const isTold = typeof value?.database === 'string'
    const database = isTold ? String(value.database) : undefined
    const document = { at: isTold ? offsetAt(this.#source, value, ['database']) : undefined }
    for (let index = this.#documentStart; index < this.#declarations.length; index++) {
      const declaration = this.#declarations[index] as OpenDeclaration
      declaration.database = database
      declaration.document = document
    }
    this.#documentStart = this.#declarations.length
  }
}

/** The declarations of a manifest, which may be part of another file. */
interface Manifest {
  readonly declarations: Declaration[]
  readonly sets: Map<string, AccountSet>
}

/** Gathers the manifests inside of a file that is something else, by the mappings as which they were read. */
export class ManifestsWithin implements DeclarationSink {
  readonly manifests = new Map<JsonObject, Manifest>()
  readonly #source: Source
  readonly #problems: Problem[]
  #declarations: OpenDeclaration[] = []
  #collector: DeclarationCollector

  constructor(source: Source, problems: Problem[]) {
    this.#source = source
    this.#problems = problems
    this.#collector = new DeclarationCollector(this.#declarations, problems, source)
  }

  open(section: Pick<Declaration, 'kind' | 'section'>, item: JsonObject): void {
    this.#collector.open(section, item)
  }

  close(sound: boolean): void {
    this.#collector.close(sound)
  }

  endManifest(manifest: JsonObject): void {
    const sets = new Map<string, AccountSet>()
    collectSets(manifest.sets, this.#source, sets, this.#problems)
    this.#collector.endDocument(manifest)
    this.manifests.set(manifest, { declarations: this.#declarations, sets })
    this.#declarations = []
    this.#collector = new DeclarationCollector(this.#declarations, this.#problems, this.#source)
  }
}

type References = NonNullable<WalkSettings['resolver']>

/** Follows references on behalf of one file, and remembers each. It holds secrets, as the values of the file do. */
class Lookups implements References {
  readonly #references: References
  readonly #path: string
  readonly #known = new Map<string, { readonly reference: Reference; readonly result: Text | Unresolved }>()

  constructor(references: References, path: string) {
    this.#references = references
    this.#path = path
  }

  resolve(reference: Reference, from: string): Text | Unresolved {
    const follow = () => ({ reference, result: this.#references.resolve(reference, from) })
    return getOrInsert(this.#known, `${reference.scheme}:${reference.name}`, follow).result
  }

  /** Absolute paths of the files that references lead to, there or not. */
  files(): string[] {
    return [...this.#known.values()].flatMap(({ reference: { scheme, name }, result }) => {
      const isReadable = isText(result) || !isOutside(result)
      return scheme === 'file' && isReadable ? [resolve(dirname(this.#path), name)] : []
    })
  }

  get leadToNothing(): boolean {
    return [...this.#known.values()].some(({ result }) => isText(result) && plainText(result) === '')
  }

  /** True where all of them lead to the same today. */
  holdWith(references: References): boolean {
    for (const { reference, result } of this.#known.values()) {
      if (!isSame(references.resolve(reference, this.#path), result)) return false
    }
    return true
  }
}

function isSame(now: Text | Unresolved, then: Text | Unresolved): boolean {
  if (isText(now) || isText(then)) {
    return isText(now) && isText(then) && String(now) === String(then) && plainText(now) === plainText(then)
  }
  return (
    now.code === then.code && now.message === then.message && now.hint === then.hint && now.withheld === then.withheld
  )
}
