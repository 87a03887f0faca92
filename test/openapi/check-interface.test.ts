// The gaps of an installation's document by kind: none if it is complete, and each part that was removed.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { fieldsOf } from '../../src/core/model/schema-fields.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { alignNames } from '../../src/openapi/align-names.ts'
import { checkInterface, type requestsFor } from '../../src/openapi/check-interface.ts'
import { readInterface } from '../../src/openapi/read-interface.ts'
import { samplesOf } from '../harness/samples.ts'
import { foreignDocument } from './foreign-document.ts'

type Declared = Parameters<typeof requestsFor>[0]

function lacksIn(
  document: JsonObject,
  apiVersion: '5.0' | '6.0' = '6.0',
  declared: readonly Declared[] = [],
  given?: Record<string, string>,
) {
  const ours = readInterface(interfaceDocument(apiVersion), apiVersion)
  const theirs = readInterface(document, apiVersion)
  const names = given === undefined ? alignNames(ours, theirs).names : []
  const real = (name: string, isWord: boolean) =>
    names.find((each) => each.name === name && each.isWord === isWord)?.real ?? name
  return checkInterface(ours, theirs, { kinds, apiVersion, real, declared }).map(
    ({ kind, what, isNeeded }) => `${kind.name}${isNeeded ? '' : ', perhaps'}: ${what}`,
  )
}

/** Ours, changed as text. */
const changed = (change: (text: string) => string) =>
  JSON.parse(change(JSON.stringify(interfaceDocument('6.0')))) as JsonObject

it('finds nothing in another form of the same, under any names of products', () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom('5.0' as const, '6.0' as const), (seed, version) => {
      const { document } = foreignDocument(interfaceDocument(version), { seed, names: 'product' })
      expect(lacksIn(document as JsonObject, version)).toEqual([])
    }),
    { numRuns: 10 },
  )
})

/** As manifests would declare it: the item of a kind. */
function declaredAs(name: string, item: JsonObject = {}): Declared {
  const kind = kinds.find((each) => each.name === name) as Kind
  const [section] = kind.sections
  const { fields, collections } = fieldsOf(section)
  const elementsIn = (collection: string, value: Json): Declared['collections'][string] => {
    const { elements, parts } = kind.collections[collection]?.fromManifest(value) ?? { elements: [], parts: 'all' }
    const located = elements.map(({ element, company, about }, index) => [
      String(index),
      {
        element: {
          ...element,
          ...(company && { company: { guid: '2', name: '' } }),
          ...(about && { about: { guid: '2', name: '', dbId: 1 } }),
        },
      },
    ])
    return { mode: 'exclusive', parts, elements: new Map(located as never), upcoming: [] }
  }
  const told = collections.filter(({ field }) => item[field] !== undefined)
  return {
    kind,
    absent: false,
    spec: Object.fromEntries(
      fields.flatMap((field) => (item[field] === undefined ? [] : [[field, item[field]]])),
    ) as JsonObject,
    collections: Object.fromEntries(
      told.map(({ field, collection }) => [collection, elementsIn(collection, item[field] as Json)]),
    ),
  }
}

it('finds nothing that is needed in our own document, whatever is declared', () => {
  for (const version of ['5.0', '6.0'] as const) {
    const all = kinds.map((kind) => declaredAs(kind.name, samplesOf(kind).full))
    expect(lacksIn(interfaceDocument(version), version, all)).toEqual([])
  }
})

it('says what an operation was for, and whether something declared takes it', () => {
  const without = changed((text) => text.replaceAll('/admin/group/members/add"', '/admin/group/members/put"'))
  const what = 'POST /admin/group/members/add is not in the document: members cannot be added'
  expect(lacksIn(without)).toEqual([`group, perhaps: ${what}`])
  expect(lacksIn(without, '6.0', [declaredAs('group', { name: 'G' })])).toEqual([`group, perhaps: ${what}`])
  expect(lacksIn(without, '6.0', [declaredAs('group', { members: ['a'] })])).toEqual([`group: ${what}`])
})

const connection = (authentication: string, integrated?: boolean) => [
  declaredAs('connection', {
    type: 'SQL',
    sql: {
      common: { server: 's', database: 'd', ...(integrated !== undefined && { integratedAuthentication: integrated }) },
    },
  }),
  declaredAs('connection', { type: 'DocPortal', docportal: { common: { url: 'u', credentials: authentication } } }),
]

it('judges the fields and words that are declared', () => {
  const renamed = changed((text) => text.replaceAll('"jobTitle":', '"position":{"type":"integer"},"post":'))
  const noTitle = '`users` of GET /admin/users has no `jobTitle`'
  expect(lacksIn(renamed, '6.0', [declaredAs('user', { jobTitle: 'CTO' })])).toContain(`user: ${noTitle}`)
  expect(lacksIn(renamed, '6.0', [declaredAs('user', { jobTitle: 'CTO' })])).toContain(
    'user: PATCH /admin/user has no `jobTitle`',
  )
  expect(lacksIn(renamed, '6.0', [declaredAs('group', { name: 'G' })])).toContain(`user, perhaps: ${noTitle}`)

  const without = changed((text) => text.replaceAll('"integratedAuthentication":', '"isIntegrated":'))
  const noLogin = '`sql.common` of POST /db/{dbId}/admin/connections has no `integratedAuthentication`'
  expect(lacksIn(without, '6.0', connection('ServiceAccount', true), {})).toContain(`connection: ${noLogin}`)
  expect(lacksIn(without, '6.0', connection('ServiceAccount'), {})).toContain(`connection, perhaps: ${noLogin}`)

  const words = changed((text) => text.replaceAll('"Svc App"', '"Other App"'))
  const noWord = '`docportal.common.credentials` of POST /db/{dbId}/admin/connections does not have `Svc App`'
  expect(lacksIn(words, '6.0', connection('Svc App'), {})).toContain(`connection: ${noWord}`)
  expect(lacksIn(words, '6.0', connection('ServiceAccount'), {})).toContain(`connection, perhaps: ${noWord}`)
})

it('says of another type, and of new words, and nothing of what is never sent', () => {
  const number = changed((text) =>
    text.replaceAll('"keepAlive":{"type":["boolean","null"]}', '"keepAlive":{"type":"string"}'),
  )
  const where = '`soap.common.keepAlive` of GET /db/{dbId}/admin/connections/{idguid}'
  expect(lacksIn(number)).toContain(`connection, perhaps: ${where} is string where svcsync knows boolean`)
  const words = changed((text) => text.replaceAll('"HttpNtlm"', '"HttpKerberos","HttpOther"'))
  const binding = '`soap.common.binding` of POST /db/{dbId}/admin/connections'
  expect(lacksIn(words)).toContain(`connection, perhaps: ${binding} does not have \`HttpNtlm\``)
  expect(lacksIn(words)).toContain(
    `connection, perhaps: ${binding} has \`HttpKerberos\`, \`HttpOther\`, which svcsync does not know`,
  )
  const all = kinds.map((kind) => declaredAs(kind.name, samplesOf(kind).full))
  const never = changed((text) =>
    text.replaceAll('"allProcesses":', '"everyProcess":').replaceAll('"links":', '"href":'),
  )
  expect(lacksIn(never, '6.0', all)).toEqual([])
  // Lists that tell no levels: a plan says what that means. Sending one is another matter.
  const untold = changed((text) => text.replaceAll('"level"', '"rank"'))
  const needed = lacksIn(untold, '6.0', all, {}).filter((lack) => !lack.includes(', perhaps'))
  expect(needed).toContain('process: POST /db/{dbId}/processes/{idguid}/admin/privileges/add has no `level`')
  expect(needed.filter((lack) => / GET /.test(lack) && !lack.startsWith('element'))).toEqual([])
})
