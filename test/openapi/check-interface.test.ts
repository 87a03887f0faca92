// What the document of an installation lacks, said by kind: nothing where it has all, and what is taken out where it does not.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { alignNames } from '../../src/openapi/align-names.ts'
import { checkInterface } from '../../src/openapi/check-interface.ts'
import { readInterface } from '../../src/openapi/read-interface.ts'
import { foreignDocument } from './foreign-document.ts'

function lacksIn(document: JsonObject, apiVersion: '5.0' | '6.0' = '6.0') {
  const ours = readInterface(interfaceDocument(apiVersion), apiVersion)
  const theirs = readInterface(document, apiVersion)
  const { names } = alignNames(ours, theirs)
  const real = (name: string, isWord: boolean) =>
    names.find((each) => each.name === name && each.isWord === isWord)?.real ?? name
  return checkInterface(ours, theirs, { kinds, apiVersion, real }).map(
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

it('says what an operation was for', () => {
  const without = changed((text) => text.replaceAll('/admin/group/members/add"', '/admin/group/members/put"'))
  expect(lacksIn(without)).toEqual([
    'group: POST /admin/group/members/add is not in the document: members cannot be added',
  ])
})

it('says which field is missing or of another type, and which words are others', () => {
  expect(lacksIn(changed((text) => text.replaceAll('"jobTitle"', '"position"')))).toEqual([])
  expect(lacksIn(changed((text) => text.replaceAll('"jobTitle":', '"position":{"type":"integer"},"post":')))).toContain(
    'user: `users` of GET /admin/users has no `jobTitle`',
  )
  const number = changed((text) =>
    text.replaceAll('"keepAlive":{"type":["boolean","null"]}', '"keepAlive":{"type":"string"}'),
  )
  expect(lacksIn(number)).toContain(
    'connection: `soap.common.keepAlive` of GET /db/{dbId}/admin/connections/{idguid} is string where svcsync knows boolean',
  )
  const words = changed((text) => text.replaceAll('"HttpNtlm"', '"HttpKerberos","HttpOther"'))
  expect(lacksIn(words)).toContain(
    'connection, perhaps: `soap.common.binding` of POST /db/{dbId}/admin/connections does not have `HttpNtlm`',
  )
  expect(lacksIn(words)).toContain(
    'connection, perhaps: `soap.common.binding` of POST /db/{dbId}/admin/connections has `HttpKerberos`, `HttpOther`, which svcsync does not know',
  )
})
