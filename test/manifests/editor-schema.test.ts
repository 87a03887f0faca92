// The schemas for editors accept what svcsync accepts, and say no where it does.

import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Kind } from '../../src/core/model/kind.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import type { Node } from '../editor/branches.ts'
import { samplesOf } from '../harness/samples.ts'
import { brief, load } from './manifest-fixture.ts'
import { misspelt, nulled, retyped, withoutRequired } from './mutations.ts'

const read = (name: string) => JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as object
const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  keywords: ['markdownDescription', 'patternErrorMessage'],
  // What better code saves takes longer to make.
  code: { optimize: false },
})
const schemas = { manifest: read('manifest'), project: read('project'), policies: read('policies') }
const isManifest = ajv.compile(schemas.manifest)
const isProject = ajv.compile(schemas.project)
// As editors find it: beside the other.
ajv.addSchema(schemas.manifest, 'manifest.schema.json')
const isPolicies = ajv.compile(schemas.policies)

/** A document that holds the item where its kind stands. */
function around(kindName: string, item: object): object {
  const kind = kinds.find(({ name }) => name === kindName)
  const { key, within } = kind?.sections[0] ?? { key: '', within: undefined }
  if (within === undefined) return { [key]: [item] }
  const outer = kinds.find(({ name }) => name === within) as Kind
  return around(within, { ...samplesOf(outer).minimal, [key]: [item] })
}

/** Every schema in a schema, with the path of keys that leads to it. */
function* nodesOf(node: Node, path: string): Generator<readonly [path: string, key: boolean, node: Node]> {
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    yield [`${path}/${key}`, true, property]
    yield* nodesOf(property, `${path}/${key}`)
  }
  const { items, additionalProperties: values } = node
  for (const inner of [items, typeof values === 'object' ? values : undefined, ...(node.anyOf ?? [])]) {
    if (inner === undefined) continue
    yield [`${path}/*`, false, inner]
    yield* nodesOf(inner, `${path}/*`)
  }
}

describe.each(Object.entries(schemas))('the schema of a %s', (_, schema) => {
  const nodes = [...nodesOf(schema as Node, '')]

  it('is valid by draft-07', () => expect(ajv.validateSchema(schema) || ajv.errors).toBe(true))

  it('tells of every key what it is for, in Markdown too, with an example that holds or all its values', () => {
    expect(nodes.length).toBeGreaterThan(10)
    const wanting = nodes.filter(([, isKey, { description = '', markdownDescription, examples, enum: values }]) => {
      const isTold = description.length > 5 && (markdownDescription ?? '').length >= description.length
      return isKey && !(isTold && (examples ?? values ?? []).length > 0)
    })
    expect(wanting.map(([path]) => path)).toEqual([])
    // The same stands in many places.
    const different = [
      ...new Map(nodes.map(([path, , node]) => [JSON.stringify(node), [path, node] as const])).values(),
    ]
    const wrong = different.filter(([, node]) => {
      const holds = node.examples === undefined || ajv.compile(node)
      return holds !== true && node.examples?.some((example) => !holds(example))
    })
    expect(wrong.map(([path, { examples }]) => [path, examples])).toEqual([])
  })

  it('is closed wherever an author does not choose the keys', () => {
    const open = nodes.filter(([, , { type, additionalProperties }]) => {
      return (
        [type].flat().includes('object') && additionalProperties !== false && typeof additionalProperties !== 'object'
      )
    })
    expect(open.map(([path]) => path)).toEqual([])
  })
})

/** The text that people read and copy. */
describe('schemas and reader agree', () => {
  const pages = [
    'README.md',
    ...readdirSync('docs')
      .filter((name) => name.endsWith('.md') && name !== 'emulator.md')
      .map((name) => `docs/${name}`),
  ]
  const blocks = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) => ({
      page,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    })),
  )
  const keysOf = (schema: object) => Object.keys((schema as Node).properties ?? {})
  const isAbout = (schema: object, value: unknown) =>
    typeof value === 'object' && value !== null && Object.keys(value).some((key) => keysOf(schema).includes(key))

  it('on every block of YAML in the pages', () => {
    const found = blocks.flatMap(({ page, text }) =>
      parseAllDocuments(text, { merge: true }).map((each) => ({ page, text, value: each.toJS() })),
    )
    const ofProject = { properties: { targets: 0, settings: 0, guards: 0, prune: 0, accounts: 0 } }
    const projects = found.filter(({ value }) => isAbout(ofProject, value))
    expect(projects.length).toBeGreaterThan(2)
    for (const { page, value } of projects) {
      // An excerpt lacks what must be there.
      const whole = { version: 1, manifests: ['m'], targets: { test: {} }, ...value }
      expect([page, value, isProject(whole) || isProject.errors]).toEqual([page, value, true])
    }
    const manifests = found.filter(({ value }) => isAbout(schemas.manifest, value) && !isAbout(ofProject, value))
    expect(manifests.length).toBeGreaterThan(3)
    for (const { page, text, value } of manifests) {
      expect([page, value, isManifest(value) || isManifest.errors]).toEqual([page, value, true])
      // The targets of references are missing.
      const problems = load(text).problems.filter(({ code }) => !code.startsWith('SVC12'))
      expect([page, text, brief(problems)]).toEqual([page, text, []])
    }
  })

  it('on slips: what the reader refuses, editors underline', () => {
    const slips = kinds.flatMap((kind) => {
      const text = stringify(around(kind.name, samplesOf(kind).full))
      const changes = [withoutRequired, misspelt, retyped, nulled]
      return changes.flatMap((change) => change(text, { kinds }).map((make) => make()))
    })
    expect(slips.length).toBeGreaterThan(500)
    const unseen = slips.filter(({ text }) => isManifest(parse(text)))
    // An empty section is a warning of the reader, no error.
    const sections = kinds.flatMap((kind) => kind.sections.map(({ key }) => key))
    const isEmpty = (name: string) => name.startsWith('null for ') && sections.some((key) => name.endsWith(key))
    expect(unseen.map(({ name }) => name).filter((name) => !isEmpty(name))).toEqual([])
  })

  it('on the policies of the examples', () => {
    const files = readdirSync('examples/policies', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.yaml'),
    )
    expect(files.length).toBeGreaterThan(2)
    for (const file of files) {
      const value = parse(readFileSync(`examples/policies/${file}`, 'utf8'))
      expect([file, isPolicies(value) || isPolicies.errors]).toEqual([file, true])
    }
  })
})

describe('schemas/manifest.schema.json', () => {
  it.each(kinds.map((kind) => [kind.name, kind] as const))('knows %s', (name, kind) => {
    const { minimal, full, changed } = samplesOf(kind)
    for (const item of [minimal, full, changed]) {
      expect(isManifest(around(name, item)) || isManifest.errors).toBe(true)
    }
  })

  it('refuses unknown keys and literals for credentials', () => {
    expect(isManifest({ users: [{ svcId: 'a', nmae: 'b' }] })).toBe(false)
    const connection = (password: string) => ({
      connections: [{ name: 'a', type: 'SQL', sql: { common: { password } } }],
    })
    expect(isManifest(connection('literal'))).toBe(false)
    expect(isManifest(connection('${file:x}'))).toBe(true)
  })

  it('accepts the examples', () => {
    for (const file of ['examples/quickstart', 'examples/organisation'].flatMap(
      (dir) => findManifestFiles(dir, ['manifests']).files,
    )) {
      for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
        const isFine = isManifest((document as { toJS(): unknown }).toJS())
        expect([file, isFine || isManifest.errors]).toEqual([file, true])
      }
    }
  })
})

describe('schemas/project.schema.json', () => {
  it.each(['quickstart', 'organisation'])('accepts the example %s', (name) => {
    expect(isProject(parse(readFileSync(`examples/${name}/svcsync.yaml`, 'utf8'))) || isProject.errors).toBe(true)
  })

  it('refuses unknown keys', () => {
    expect(isProject({ version: 1, manifests: ['m'], targets: {}, target: 't', guard: {} })).toBe(false)
  })
})
