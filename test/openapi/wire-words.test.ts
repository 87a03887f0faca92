// The texts that are translated are those that the interface's documents have words for, in the places where svcsync
// asks.
import { expect, it } from 'vitest'
import type { WireShape } from '../../src/core/model/schema.ts'
import { wireShapesOf } from '../../src/core/model/wire-shape.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'

type Part = Record<string, unknown> | undefined

it.each(['5.0', '6.0'] as const)(
  'every word of the interface %s is translated where kinds ask, and nothing else',
  (version) => {
    const document = interfaceDocument(version) as unknown as Record<string, unknown>
    const shapes = wireShapesOf(kinds)
    const wrong: string[] = []
    let words = 0
    const resolved = (part: Part): Part => {
      const reference = part?.$ref as string | undefined
      if (reference === undefined) return part
      return reference
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Part
    }
    const visit = (given: Part, shape: WireShape | undefined, where: string): void => {
      const part = resolved(given)
      if (part === undefined) return
      if (part.enum !== undefined) words += 1
      if ((part.enum !== undefined) !== (shape?.word === true)) wrong.push(where)
      if (part.items !== undefined) visitItems(part.items as Part, shape, where)
      for (const [key, each] of Object.entries((part.properties ?? {}) as Record<string, Part>)) {
        // Below what is somebody's own, nothing is looked at.
        const known = shape?.keys !== undefined && Object.hasOwn(shape.keys, key)
        if (!shape?.open || known) visit(each, known ? shape.keys?.[key] : undefined, `${where}.${key}`)
      }
    }
    const visitItems = (items: Part, shape: WireShape | undefined, where: string): void =>
      visit(items, shape, `${where}[]`)
    const visitContent = (holder: unknown, shape: WireShape, where: string): void => {
      const { content = {} } = (resolved(holder as Part) ?? {}) as { content?: Record<string, { schema: Part }> }
      for (const { schema } of Object.values(content)) visit(schema, shape, where)
    }
    for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, unknown>>)) {
      const asked = path.replace(/^\/api\/data\/v\d\.\d/, '').replace(/\{\w+\}/g, 'x')
      const shape = shapes(asked)
      if (shape === undefined) continue
      for (const [method, operation] of Object.entries(operations)) {
        const { requestBody, responses = {} } = operation as {
          requestBody?: unknown
          responses?: Record<string, unknown>
        }
        visitContent(requestBody, shape, `${method} ${asked} >`)
        for (const [status, response] of Object.entries(responses))
          if (status.startsWith('2')) visitContent(response, shape, `${method} ${asked} <`)
      }
    }
    expect(wrong).toEqual([])
    expect(words).toBeGreaterThan(40)
  },
)
