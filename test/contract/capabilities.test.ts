// The laws of capabilities: what each of them promises, of every kind that has it, and that the engine asks for none by
// name.

import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasEnded } from '../../src/core/model/capabilities/has-ended.ts'
import { inherits } from '../../src/core/model/capabilities/inherits.ts'
import { page } from '../../src/core/model/capabilities/page.ts'
import { shared } from '../../src/core/model/capabilities/shared.ts'
import { standIn } from '../../src/core/model/capabilities/stand-in.ts'
import { stock } from '../../src/core/model/capabilities/stock.ts'
import { takesAll } from '../../src/core/model/capabilities/takes-all.ts'
import { isJsonObject } from '../../src/core/model/json.ts'
import type { Collection, Element } from '../../src/core/model/kind.ts'
import { requestsOf } from '../../src/core/model/kind-requests.ts'
import { kinds } from '../../src/kinds/index.ts'
import { samplesOf } from '../harness/samples.ts'

type Capable = Parameters<typeof shared.of>[0]

const folder = 'src/core/model/capabilities'
const modules = { inherits, hasEnded, page, shared, standIn, stock, takesAll }
const collections = kinds.flatMap((kind) =>
  Object.entries(kind.collections).map(([name, each]) => ({ kind, name, each })),
)
const with_ = (of: (each: Capable) => unknown) => kinds.filter((kind) => of(kind) !== undefined)
const collectionsWith = (of: (each: Capable) => unknown) => collections.filter(({ each }) => of(each) !== undefined)
const elementOf = ({ of }: Collection): Element => (of === 'items' ? { item: 'x' } : { svcId: 'x', level: 'x' })

it('each capability is a module, is tried here, and some kind has it', () => {
  const files = readdirSync(folder)
    .map((file) => basename(file, '.ts'))
    .filter((name) => name !== 'capability')
  const camel = files.map((name) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
  expect(Object.keys(modules).sort()).toEqual(camel.sort())
  for (const { of } of Object.values(modules)) expect(with_(of).length + collectionsWith(of).length).toBeGreaterThan(0)
  const had = [...kinds, ...Object.values(collections).map(({ each }) => each)].flatMap(
    ({ capabilities = [] }) => capabilities,
  )
  expect(had.filter(({ can }) => !Object.hasOwn(modules, can))).toEqual([])
})

describe.each(with_(page.of).map((kind) => [kind.name, kind] as const))('page: %s', (_, kind) => {
  it('has neither a list nor a lookup, and takes another page for none', () => {
    expect(kind.lookup ?? kind.requests.list).toBeUndefined()
    expect(page.of(kind)?.request('https://x/y').query).toEqual({ url: 'https://x/y' })
    expect(page.of(kind)?.parse({ mode: 'Home' })).toBeUndefined()
  })
})

describe.each(with_(standIn.of).map((kind) => [kind.name, kind] as const))('stand-in: %s', (_, kind) => {
  const { places, company, ...roles } = standIn.of(kind) as NonNullable<ReturnType<typeof standIn.of>>
  const { properties } = kind.sections[0].schema
  it('each role is a field, of an account or a moment, and each place a collection', () => {
    expect(properties[roles.person]?.reference).toBe('account')
    expect(properties[roles.substitute]?.reference).toBe('account')
    expect([roles.from, roles.to].map((field) => properties[field]?.moment)).toEqual(['from', 'until'])
    for (const name of [...places, company]) expect(kind.collections).toHaveProperty(name)
  })
})

describe.each(with_(hasEnded.of).map((kind) => [kind.name, kind] as const))('over: %s', (_, kind) => {
  it('is over at some time, stays so, and is not before', () => {
    const fields = { ...samplesOf(kind).full }
    const at = (nowMs: number) => hasEnded.of(kind)?.(fields, nowMs)
    expect([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].map(at)).toEqual([false, true])
    expect(hasEnded.of(kind)?.({}, Number.POSITIVE_INFINITY)).toBe(false)
  })
})

describe.each(with_(inherits.of).map((kind) => [kind.name, kind] as const))('inherits: %s', (_, kind) => {
  it('names a kind that has the same collections', () => {
    const other = kinds.find(({ name }) => name === inherits.of(kind))
    expect(Object.keys(other?.collections ?? {})).toEqual(expect.arrayContaining(Object.keys(kind.collections)))
  })
})

describe.each(collectionsWith(stock.of).map(({ kind, name, each }) => [`${kind.name} ${name}`, each] as const))(
  'stock: %s',
  (_, each) => {
    it('is of items, and an answer without numbers is misread', () => {
      expect(each.of).toBe('items')
      expect(stock.of(each)?.parse({})).toHaveProperty('misread')
      expect(stock.of(each)?.parse(null)).toHaveProperty('misread')
    })
  },
)

describe.each(collectionsWith(shared.of).map(({ kind, name, each }) => [`${kind.name} ${name}`, each] as const))(
  'shared: %s',
  (_, each) => {
    it('has requests that differ in lists of their bodies alone', () => {
      const bodyOf = (self: string) => each.add?.({ self }, [elementOf(each)])
      const [one, other] = ['a', 'b'].map(bodyOf)
      expect({ ...one, body: null }).toEqual({ ...other, body: null })
      expect(isJsonObject(one?.body ?? null) && Object.values(one?.body as object).every(Array.isArray)).toBe(true)
      expect(each.batch).toBeGreaterThan(1)
    })
  },
)

describe.each(collectionsWith(takesAll.of).map(({ kind, name }) => [`${kind.name} ${name}`, kind, name] as const))(
  'takes all: %s',
  (_, kind, name) => {
    it('has a removal that names no level', () => {
      const removals = requestsOf(kind).filter(({ collection }) => collection === name)
      expect(JSON.stringify(removals.at(-1))).not.toContain('level')
    })
  },
)
