// Files with policies → policies and problems: the only way in.
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import { compareProblems, errorAt, formatPlace, type Place, type Problem } from '@svcsync/errors/index.ts'
import { liesWithin, shownPath } from '@svcsync/files/paths.ts'
import { ManifestsWithin } from '@svcsync/manifests/load-file.ts'
import type { LoadOptions } from '@svcsync/manifests/load-manifests.ts'
import { itemsIn, placesIn, readDocument, textIn } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import type { MappingShape } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { checkExpression, compileExpression, type Policy } from './expression.ts'
import { policyOns, scopeOf } from './expression-types.ts'
import { policiesShapeOf } from './policies-schema.ts'

type Scope = ReturnType<typeof scopeOf>

type LoadPoliciesOptions = Pick<LoadOptions, 'files' | 'kinds' | 'projectDir' | 'displayBase' | 'tree'>

export interface LoadedPolicies {
  /** In the order of files and of items; without those in which something is wrong. */
  readonly policies: readonly Policy[]
  readonly tests: readonly PolicyTest[]
  readonly problems: readonly Problem[]
  /** By file as shown in places: what `codeFrame` needs. */
  readonly sources: ReadonlyMap<string, TextSource>
  /** Each file as it was parsed, for a later load. */
  readonly documents: readonly PolicyDocument[]
}

interface PolicyTest {
  readonly name: string
  readonly policy: string
  readonly target: string
  readonly today: string
  readonly breaks: readonly string[]
  /** Part of the message of each. */
  readonly says: string | undefined
  readonly declared: TestManifest
  readonly live: TestManifest
  placeAt(...path: readonly (string | number)[]): Place
}

interface TestManifest {
  readonly declarations: readonly Declaration[]
  readonly sets: ReadonlyMap<string, AccountSet>
}

interface PolicyDocument {
  readonly source: TextSource
  readonly kinds: readonly Kind[]
  readonly root: JsonObject | undefined
  /** The manifests of its tests. */
  readonly manifests: ManifestsWithin['manifests']
  readonly problems: readonly Problem[]
}

/** Messages quote no line of files outside `projectDir`. `previous`: unchanged files are not parsed again. */
export function loadPolicies(
  { files, kinds, projectDir, displayBase, tree }: LoadPoliciesOptions,
  previous?: LoadedPolicies,
): LoadedPolicies {
  const documents: PolicyDocument[] = []
  const sources = new Map<string, TextSource>()
  const policies: Policy[] = []
  const names = new Map<string, Place>()
  const problems: Problem[] = []
  const shape = policiesShapeOf(kinds)
  const tests: PolicyTest[] = []
  const scopes = scopesOf(kinds)
  for (const path of files) {
    const read = readText(path, shownPath(path, displayBase), tree)
    if (!isSource(read)) {
      problems.push(read)
      continue
    }
    read.isQuotable = liesWithin(projectDir, path)
    const earlier = previous?.documents.find(
      ({ source, kinds: then }) => source.file === read.file && source.text === read.text && then === kinds,
    )
    const document = earlier ?? parseDocument(read, path, shape, kinds)
    const { source, root } = document
    documents.push(document)
    problems.push(...document.problems)
    sources.set(source.file, source)
    tests.push(...readTests(document))
    for (const item of itemsIn(root, 'policies')) {
      const policy = readPolicy(item, source, scopes, problems)
      if (policy !== undefined) policies.push(policy)
      if (typeof item.name === 'string') noteName(item.name, placesIn(source, item)('name'), names, problems)
    }
  }
  return { policies, tests, problems: problems.sort(compareProblems), sources, documents }
}

function noteName(name: string, place: Place, names: Map<string, Place>, problems: Problem[]): void {
  const earlier = names.get(name)
  if (earlier === undefined) {
    names.set(name, place)
    return
  }
  const hint = `The other one is at ${formatPlace(earlier)}: give one of them another name.`
  const related = [{ message: 'declared here first', place: earlier }]
  problems.push({ ...errorAt('SVC1301', `There are two policies \`${name}\``, place, hint), related })
}

function parseDocument(source: TextSource, path: string, shape: MappingShape, kinds: readonly Kind[]): PolicyDocument {
  const problems: Problem[] = []
  const kind = { root: 'a policy file', begins: '`policies:` or `tests:`', code: 'SVC1003' } as const
  const within = new ManifestsWithin(source, problems)
  const root = readDocument(source, path, shape, kind, problems, within)
  if (root !== undefined && root.policies === undefined && root.tests === undefined && problems.length === 0) {
    const message = 'The file has neither policies nor tests of them'
    problems.push(errorAt('SVC1103', message, source.placeAt(0), `It begins with ${kind.begins}.`))
  }
  return { source, kinds, root, manifests: within.manifests, problems }
}

/** Malformed tests are left out. */
function readTests({ source, root, manifests }: PolicyDocument): PolicyTest[] {
  return itemsIn(root, 'tests').flatMap((item) => {
    const { name, policy, declared, live, target = 'test', today = '2026-01-01', breaks = [] } = item
    if (typeof name !== 'string' || typeof policy !== 'string' || !isJsonObject(declared)) return []
    const placeAt: PolicyTest['placeAt'] = (...path) => source.placeAt(offsetAt(source, item, path))
    return {
      name,
      policy,
      target: String(target),
      today: String(today),
      breaks: breaks as readonly string[],
      says: textIn(item, 'says'),
      declared: manifests.get(declared) ?? nothing,
      live: (isJsonObject(live) ? manifests.get(live) : undefined) ?? nothing,
      placeAt,
    }
  })
}

const nothing: TestManifest = { declarations: [], sets: new Map() }

type ScopeOf = (kind: string, on: Policy['on']) => Scope

/** Worked out for a kind when the first policy speaks of it. */
function scopesOf(kinds: readonly Kind[]): ScopeOf {
  const known = new Map<string, Scope>()
  return (name, on) =>
    getOrInsert(known, `${on} ${name}`, () => scopeOf(kinds.find((kind) => kind.name === name) as Kind, on))
}

/** The walk has checked the form of the item; what was wrong in it is left out of it. Undefined: something is wrong. */
function readPolicy(item: JsonObject, source: TextSource, scopesOf: ScopeOf, problems: Problem[]): Policy | undefined {
  const { name, message } = item
  const kinds = Array.isArray(item.for) ? (item.for as readonly string[]) : []
  const on = policyOns.find((each) => each === item.on) ?? 'desired'
  const scopes = [...new Set(kinds)].map((kind) => scopesOf(kind, on))
  const place = placesIn(source, item)('name')
  const found: Problem[] = []
  if (typeof name === 'string' && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    const hint = 'Lower-case letters, digits, and single hyphens between them: `two-owners`.'
    found.push(errorAt('SVC1104', `\`${name}\` cannot be the name of a policy`, place, hint))
  }
  const readExpression = (key: string, wanted: 'bool' | 'string'): Policy['expression'] | undefined => {
    const text = item[key]
    if (typeof text !== 'string' || scopes.length === 0) return undefined
    const start = offsetAt(source, item, [key])
    const placeAt = (index: number): Place => source.placeAt(offsetInScalar(source.text, start, text, index))
    const faults = checkExpression(text, wanted, scopes)
    for (const { message, index, hint } of faults) {
      found.push(errorAt('SVC1803', `\`${key}\` cannot be used: ${message}`, placeAt(index), hint))
    }
    return faults.length > 0 ? undefined : { ...compileExpression(text), placeAt }
  }
  const when = readExpression('when', 'bool')
  const expression = readExpression('expression', 'bool')
  const messageExpression = readExpression('messageExpression', 'string')
  problems.push(...found)
  if (found.length > 0 || typeof name !== 'string' || typeof message !== 'string' || expression === undefined) return
  return {
    name,
    description: textIn(item, 'description'),
    for: new Set(kinds),
    on,
    level: item.level === 'warn' ? 'warn' : 'deny',
    ...{ when, expression, message, messageExpression, place },
  }
}

/** The file holds the text, but for blanks and escapes. If the two do not fit: the start of the scalar. */
export function offsetInScalar(source: string, start: number, text: string, index: number): number {
  const style = source[start]
  const quote = style === '"' || style === "'" ? style : undefined
  let at = contentStart(source, start, style)
  if (at === undefined) return start
  let end = at
  for (let position = 0; position < text.length; position++) {
    const character = text[position] as string
    if (isBlank(character)) {
      if (position === index) return end
      continue
    }
    const { from, width } = characterAt(source, at, character, quote)
    if (source[from + width - 1] !== character) return start
    if (position === index) return width === 2 && quote === "'" ? from : from + width - 1
    at = from + width
    end = at
  }
  return end
}

/** The start of the text: for a block, after the line of its header. */
function contentStart(source: string, start: number, style: string | undefined): number | undefined {
  if (style === '"' || style === "'") return start + 1
  if (style !== '|' && style !== '>') return start
  const lineEnd = source.slice(start).search(/[\r\n]/)
  return lineEnd < 0 ? undefined : start + lineEnd
}

/** The start and length of a character. In double quotes, only the escapes `\"`, `\\` and `\/` show their character. */
function characterAt(source: string, at: number, character: string, quote: string | undefined) {
  const from = afterBlanks(source, at, quote === '"')
  const isEscaped = quote === '"' && source[from] === '\\'
  const isDoubled = quote === "'" && character === "'" && source.startsWith("''", from)
  return { from, width: isEscaped || isDoubled ? 2 : 1 }
}

/** In double quotes, blanks may be escaped, and an escaped line break is empty. */
function afterBlanks(source: string, from: number, escapes: boolean): number {
  let at = from
  for (;;) {
    if (isBlank(source[at] ?? '')) at++
    else if (escapes && source[at] === '\\' && /[nrt \r\n\t]/.test(source[at + 1] ?? '')) at += 2
    else return at
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}
