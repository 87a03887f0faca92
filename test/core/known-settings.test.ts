// Settings that svcsync knows, and the names of the others: together they are all.
import { expect, it } from 'vitest'
import { knownSettings, strangersIn } from '../../src/core/model/schema-fields.ts'

const text = { type: 'string', description: 'Text.' } as const
const inner = { type: 'object', description: 'Inside.', properties: { url: text } } as const
const schema = { type: 'object', description: 'Settings.', properties: { server: text, inner } } as const

it('names every setting that it leaves out, also those that are called like a part of every object', () => {
  const settings = { server: 's', constructor: 'c', toString: 't', inner: { url: 'u', valueOf: 'v', port: 1 } }
  expect(knownSettings(settings, schema)).toEqual({ server: 's', inner: { url: 'u' } })
  expect(strangersIn(settings, schema)).toEqual(['constructor', 'toString', 'inner.valueOf', 'inner.port'])
})
