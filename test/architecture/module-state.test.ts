// No module of the pure rooms remembers anything between two calls: what a run sees is what it was given.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../src')

/** By file: what it keeps, and why it may. */
const exceptions: Readonly<Record<string, string>> = {
  // The name by which people called the process, set once before anything is printed.
  'render/text/program-name.ts': 'let program',
}

/** A `WeakMap` holds what was worked out of its key alone; what is typed as read-only is filled where it is made. */
const state =
  /^(?:export )?(?:let|var) \w+|^(?:export )?const \w+(?:: (?!Readonly|readonly)[^=\n]+)? = (?:new (?:Map|Set|Array)\b(?!\(\[)|\[\](?! as const)|\{\}(?! as const))/gm

it.each(['core', 'kinds', 'render'])('no module of %s has a state', (room) => {
  const files = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(20)
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, room, file), 'utf8')
    const all = [...text.matchAll(state)].map(([line]) => line)
    return all.filter((line) => line !== exceptions[`${room}/${file}`]).map((line) => `${room}/${file}: ${line}`)
  })
  expect(found).toEqual([])
})

it.each([
  'let seen = 0',
  'const words = new Set<string>()',
  'export const all: Map<string, number> = new Map()',
  'const list: string[] = []',
])('%s is a state', (line) => expect(line.match(state)).not.toBeNull())

it.each([
  'const none: readonly string[] = []',
  'const known = new WeakMap<Kind, object>()',
  "const few = new Set(['a'])",
])('%s is none', (line) => expect(line.match(state)).toBeNull())
