// The keys whose values are translated are those that the interface's documents have words for.
import { expect, it } from 'vitest'
import { isWordKey } from '../../src/core/model/vocabulary.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import '../../src/kinds/index.ts'

it('every word of the interface is translated, and nothing else', () => {
  const keys = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties } = value as { properties?: Record<string, { enum?: unknown }> }
    for (const [key, each] of Object.entries(properties ?? {})) if (each.enum !== undefined) keys.add(key)
    for (const each of Object.values(value)) visit(each)
  }
  for (const version of ['5.0', '6.0'] as const) visit(interfaceDocument(version))
  expect(keys.size).toBeGreaterThan(9)
  // Of how many licences there are, no word is read.
  expect([...keys].filter((key) => !isWordKey(key)).sort()).toEqual(['license'])
})
