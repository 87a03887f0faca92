// Keys for anchors at the top of a document: they declare nothing, and what takes from them is checked like all else.
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { manifestSchemaSource } from '../../scripts/generate/editor-schema.ts'
import { kinds } from '../../src/kinds/index.ts'
import { format } from '../format/format-fixture.ts'
import { brief, itemsOf, load } from './manifest-fixture.ts'

const office = `x-office: &office
  managerSvcId: jan.kos@example.com
  jobTitle: Clerk
x-names:
  - &anna anna.nowak@example.com
database: main
users:
  - { <<: *office, svcId: *anna, jobTitle: Controller }
`

it('merge keys and aliases take from what stands under `x-…`', () => {
  const result = load(office)
  expect(brief(result.problems)).toEqual([])
  expect(itemsOf(result)).toEqual({
    users: [{ svcId: 'anna.nowak@example.com', jobTitle: 'Controller', managerSvcId: 'jan.kos@example.com' }],
  })
  const isManifest = new Ajv({ strict: false }).compile(JSON.parse(manifestSchemaSource(kinds)) as object)
  expect(isManifest(parse(office, { merge: true })) || isManifest.errors).toBe(true)
})

it('what is wrong in a fragment is said where something takes it, at the place where it stands', () => {
  const { problems } = load(`x-a: &a { jobTitel: Clerk }\nusers:\n  - { <<: *a, svcId: a }\n  - { svcId: b }\n`)
  expect(brief(problems)).toEqual(['SVC1101 1:11 `jobTitel` is not a key of an item in `users`'])
})

it('stands at the top alone, and once', () => {
  expect(brief(load('users:\n  - { svcId: a, x-b: 1 }\n').problems)).toEqual([
    'SVC1101 2:17 `x-b` is not a key of an item in `users`',
  ])
  expect(brief(load('x-b: 1\nx-b: 2\n').problems)).toEqual(['SVC1004 2:1 `x-b` appears twice in one mapping'])
})

it('a key twice in a fragment is said, at any depth: a merge would take one of the two without a word', () => {
  const { problems } = load(`x-a: &a { jobTitle: Clerk, jobTitle: Boss }
x-b:
  - { c: { d: 1, e: [], "d": 2 }, ? [odd] : 3, c: *a }
  - { d: 1 }
x-c: { <<: *a, <<: *a }
users:
  - { <<: *a, svcId: a }
`)
  expect(brief(problems)).toEqual([
    'SVC1004 1:28 `jobTitle` appears twice in one mapping',
    'SVC1004 3:25 `d` appears twice in one mapping',
    'SVC1004 3:48 `c` appears twice in one mapping',
  ])
})

it('holds nothing that is resolved or shown', () => {
  const { problems } = load(
    'x-a: { password: "${env:NOT_SET} ${file:/etc/hostname}", 1: !odd [] }\nusers: [{ svcId: a }]\n',
  )
  expect(brief(problems)).toEqual([])
})

it('is laid out below the database, ahead of all that may take from it', () => {
  expect(format(office)).toBe(`database: main

x-office: &office
  managerSvcId: jan.kos@example.com
  jobTitle: Clerk

x-names:
  - &anna anna.nowak@example.com

users:
  - { <<: *office, svcId: *anna, jobTitle: Controller }
`)
})
