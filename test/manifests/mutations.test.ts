// No slip in a manifest is taken for something else: each gives a problem where it stands, or provably changes nothing.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import type { loadManifests } from '../../src/manifests/load-manifests.ts'
import { loadPolicies } from '../../src/policies/index.ts'
import { policiesSchemaOf } from '../../src/policies/policies-schema.ts'
import { loadProject } from '../../src/project/load-project.ts'
import { projectSchemaOf } from '../../src/project/project-schema.ts'
import { samplesOf } from '../harness/samples.ts'
import { isThorough, sharedOut } from '../harness/thorough.ts'
import { inFolder, load } from './manifest-fixture.ts'
import {
  doubled,
  type Language,
  type MakeMutant,
  misspelt,
  nulled,
  retyped,
  unquoted,
  withoutRequired,
} from './mutations.ts'

type LoadResult = ReturnType<typeof loadManifests>

const settings = {
  env: new Proxy({}, { get: (_, name) => (name === 'SVCSYNC_ALLOW_ENV' ? '*' : 'set') }),
  variables: { erpServer: 'sql' },
}

/** A manifest with the item where its kind stands. */
function around(kindName: string, item: JsonObject): JsonObject {
  const kind = kinds.find(({ name }) => name === kindName)
  const { key, within } = kind?.sections[0] ?? { key: '' }
  if (within === undefined) return { [key]: [item] }
  const outer = kinds.find(({ name }) => name === within) as Kind
  return around(within, { ...samplesOf(outer).minimal, [key]: [item] })
}

const sets = `sets:
  clerks: [anna@example.com, { svcId: jan@example.com, until: 2099-01-01 }, { set: juniors, from: 2026-01-01 }]
  juniors: [ewa@example.com]
`
/** Features that the samples of kinds omit: bounds in time, environments at length, and both ways to manage a list. */
const further = `database: main
groups:
  - svcId: g@example.com
    name: G
    members: [{ set: clerks }, { svcId: x@example.com, from: 2026-01-01, until: "2099-01-01T00:00:00Z" }]
    owners: [{ svcId: anna@example.com }]
    manage: { members: exclusive, owners: additive }
constants:
  - { name: a, previously: b, common: { value: v }, dev: { inherit: true }, test: { value: w }, prod: { inherit: false, value: x } }
connections:
  - name: c
    previously: d
    type: SQL
    sql:
      common: { server: s, database: d, password: "\${env:P}" }
      dev: { inherit: true }
      test: { inherit: false, server: t }
`

const manifests: readonly (readonly [name: string, text: string])[] = [
  ...findManifestFiles('examples/quickstart', ['manifests']).files.map(
    (file) => [basename(file), readFileSync(file, 'utf8')] as const,
  ),
  ['sets', sets],
  ['what samples do not show', further],
  ...kinds.flatMap((kind) =>
    // Both have nearly the same keys.
    (isThorough ? (['full', 'changed'] as const) : (['full'] as const)).map(
      (which) => [`${which} ${kind.name}`, stringify(around(kind.name, samplesOf(kind)[which]))] as const,
    ),
  ),
]

interface Loaded {
  readonly problems: LoadResult['problems']
  /** All that is declared. */
  readonly items: string
}

/**
 * Loads all texts at once, each as a file of its own; sets would be those of all, so that such texts are loaded alone.
 */
function loadEach(texts: readonly string[]): readonly Loaded[] {
  if (texts.some((text) => /^sets:/m.test(text))) {
    return texts.map((text) => {
      const { declarations, problems, sets } = load(text, settings)
      const named = [...sets.values()].map(({ name, items }) => JSON.stringify([name, items]))
      return { problems, items: [...named, ...declarations.map(told)].join('\n') }
    })
  }
  const fileOf = (index: number) => `m${String(index).padStart(5, '0')}.yaml`
  const { declarations, problems } = load(
    Object.fromEntries(texts.map((text, index) => [fileOf(index), text])),
    settings,
  )
  const results = texts.map(() => ({ problems: [] as LoadResult['problems'][number][], items: [] as string[] }))
  const indexOf = (file: string) => Number(file.slice(1, 6))
  for (const problem of problems) results[indexOf(problem.place?.file ?? '')]?.problems.push(problem)
  for (const declaration of declarations) results[indexOf(declaration.source.file)]?.items.push(told(declaration))
  return results.map((each) => ({ problems: each.problems, items: each.items.join('\n') }))
}

function told({ section, item, database, parent }: LoadResult['declarations'][number]): string {
  return JSON.stringify([section.key, item, database, parent?.item])
}

/**
 * `constants` is a key of a process and of the top: moved out by as many levels as there are between, it is a valid
 * manifest of global constants, which nobody can tell from one that is meant. The plan shows them as such.
 */
function isOtherwiseValid({ text, line }: { readonly text: string; readonly line: number }): boolean {
  return text.split('\n')[line - 1] === 'constants:'
}

/**
 * A parser cannot know which of two lines is indented wrongly: it stops at the first one that does not fit. That is the
 * line itself, the one before it, one of the next two that stood beside it, or the first that stood further out.
 */
function whereNoticed(lines: readonly string[], line: number): { from: number; to: number } {
  const indentOf = (text: string) => text.search(/\S/)
  const content = lines.flatMap((text, index) => (/^\s*(?:#|$)/.test(text) ? [] : [index + 1]))
  const indent = indentOf(lines[line - 1] ?? '')
  const beside = content.filter((other) => other > line && indentOf(lines[other - 1] ?? '') <= indent)
  const further = beside.find((other) => indentOf(lines[other - 1] ?? '') < indent) ?? lines.length
  return { from: content.findLast((other) => other < line) ?? 1, to: Math.max(beside[1] ?? lines.length, further) }
}

type Load = (texts: readonly string[]) => readonly { readonly problems: LoadResult['problems'] }[]

function expectProblems(mutants: readonly MakeMutant[], load: Load = loadEach): void {
  expect(mutants.length).toBeGreaterThan(0)
  // Manifests of the examples are long, and their items alike.
  const tried = (mutants.length > 40 ? sharedOut(mutants, 0, 12) : mutants).map((make) => make())
  const loaded = load(tried.map(({ text }) => text))
  const missed = tried.filter(({ place, code }, index) => {
    const here = loaded[index]?.problems.filter(
      (each) => each.place?.line === place.line && each.place.column === place.column,
    )
    return !here?.some((each) => code === undefined || each.code === code)
  })
  expect(missed.map(({ name, text, place }) => `${name} (${place.line}:${place.column})\n${text}`)).toEqual([])
}

describe.each(manifests)('%s', (_, text) => {
  it('is valid', () => expect(loadEach([text])[0]?.problems).toEqual([]))
  it('lacks no required key unnoticed', () => expectProblems(withoutRequired(text, { kinds })))
  it('has no key misspelt unnoticed', () => expectProblems(misspelt(text, { kinds })))
  it('has no key twice unnoticed', () => expectProblems(doubled(text, { kinds })))
  it('has no value of another type unnoticed', () => expectProblems(retyped(text, { kinds })))
  it('has no null unnoticed where nothing can be cleared', () => expectProblems(nulled(text, { kinds })))

  it('means the same where numbers and flags stand in text fields without quotes', () => {
    const pairs = unquoted(text, { kinds })
    const [plain, quoted] = [0, 1].map((which) => loadEach(pairs.map((pair) => pair[which] ?? '')))
    expect(plain).toEqual(quoted)
    expect(plain?.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('is not indented wrongly unnoticed', () => {
    const lines = text.split('\n')
    const mutants = lines.flatMap((line, index) => {
      const change = (replaced: string) => [...lines.slice(0, index), replaced, ...lines.slice(index + 1)].join('\n')
      const indent = /^ */.exec(line)?.[0].length ?? 0
      return [1, 2, -1, -2, -4]
        .filter((by) => indent + by >= 0)
        .map((by) => ({ by, line: index + 1, text: change(' '.repeat(indent + by) + line.trimStart()) }))
    })
    const before = loadEach([text])[0]?.items
    const tried = mutants.length > 40 ? sharedOut(mutants, 0, 12) : mutants
    const loaded = loadEach(tried.map((each) => each.text))
    const missed = tried.filter((mutant, index) => {
      const { problems, items } = loaded[index] ?? { problems: [], items: '' }
      if (problems.length === 0) return items !== before && !isOtherwiseValid(mutant)
      const { from, to } = whereNoticed(lines, mutant.line)
      return !problems.some(({ place }) => place !== undefined && from <= place.line && place.line <= to)
    })
    expect(missed.map(({ by, line, text: mutated }) => `${by} in line ${line}\n${mutated}`)).toEqual([])
  })
})

const project = `version: 1
manifests: [manifests, "teams/*/*.yaml"]
policies: [rules]
target: test
targets:
  test:
    baseUrl: https://test.example.com
    authUrl: https://login.example.com
    allowInsecureHttp: false
    apiVersion: "6.0"
    clientId: svcsync
    clientSecret: "\${env:SECRET}"
    databases: { main: 1, archive: 2 }
    overrides: [overrides/test]
    variables: { erpServer: sql-test }
    wireNames: { svcId: accountId }
    svcIdCase: exact
    guards: { deletions: { max: 3, percent: 5 } }
    protect: [group/admins@example.com]
  other: { baseUrl: https://other.example.com, clientId: svcsync, clientSecret: "\${env:SECRET}" }
sets: { clerks: [anna@example.com] }
settings:
  concurrency: 8
  pageSize: 100
  retry: { attempts: 5, maxDelay: 30s }
  sync: { timeout: 2m }
  timeZone: Europe/Warsaw
  readFilesFrom: [/run/secrets]
  collections: additive
accounts: { external: ["*@corp.example.com"] }
prune: { groups: ["proj-*"], users: ["tmp-*"] }
guards: { deletions: { max: 10, percent: 20 }, removals: { max: 50, percent: 30 } }
protect: ["group/admins@example.com"]
`
const policies = `policies:
  - name: two-owners
    description: A group with one owner is stuck when they leave.
    for: [group, user]
    on: change
    when: 'action == "create"'
    expression: "true"
    message: It does not hold
    messageExpression: '"it does not hold"'
    level: warn
`

/** Each text loaded by itself, from a file of its own. */
const eachAlone =
  (load: (file: string, dir: string) => { readonly problems: LoadResult['problems'] }): Load =>
  (texts) =>
    texts.map((text) => inFolder({ 'm.yaml': text }, (dir) => load(join(dir, 'm.yaml'), dir)))

describe.each<readonly [name: string, text: string, language: Language, load: Load]>([
  [
    'the project file',
    project,
    { kinds: [], top: projectSchemaOf(kinds) },
    eachAlone((file, displayBase) => {
      const options = { kinds, env: { SECRET: 's' }, displayBase, ofAll: 'other' } as const
      return { problems: ['test', 'other'].flatMap((target) => loadProject(file, { ...options, target }).problems) }
    }),
  ],
  [
    'a file with policies',
    policies,
    { kinds: [], top: policiesSchemaOf(kinds) },
    eachAlone((file, displayBase) => loadPolicies({ files: [file], kinds, projectDir: displayBase, displayBase })),
  ],
])('%s', (_, text, language, load) => {
  it('is valid', () => expect(load([text])[0]?.problems).toEqual([]))
  it('lacks no required key unnoticed', () => expectProblems(withoutRequired(text, language), load))
  it('has no key misspelt unnoticed', () => expectProblems(misspelt(text, language), load))
  it('has no key twice unnoticed', () => expectProblems(doubled(text, language), load))
  it('has no value of another type unnoticed', () => expectProblems(retyped(text, language), load))
  it('has no null unnoticed where nothing can be cleared', () => expectProblems(nulled(text, language), load))
})

it('no item stands unnoticed in another section', () => {
  const top = kinds.flatMap((kind) => kind.sections.filter(({ within }) => within === undefined))
  const cases = kinds.flatMap((kind) =>
    kind.sections
      .filter(({ within }) => within === undefined)
      .flatMap((section) =>
        top
          .filter((other) => other.key !== section.key)
          .map((other) => ({ from: section.key, to: other, item: samplesOf(kind).full })),
      ),
  )
  const loaded = loadEach(cases.map(({ to, item }) => stringify({ [to.key]: [item] })))
  const silent = cases.filter(({ to, item }, index) => {
    const known = new Set([
      ...Object.keys(to.schema.properties),
      ...kinds.flatMap((kind) => kind.sections.filter(({ within }) => within !== undefined).map(({ key }) => key)),
    ])
    const isForeign = Object.keys(item).some((key) => !known.has(key))
    return isForeign && loaded[index]?.problems.length === 0
  })
  expect(silent.map(({ from, to }) => `${from} in ${to.key}`)).toEqual([])
  expect(loaded.filter(({ problems }) => problems.length > 0).length).toBeGreaterThan(cases.length / 2)
})
