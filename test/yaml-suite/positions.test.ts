// The places of nodes: problems must point where the yaml package, which edits manifests, finds the same node.
import { EVENT_ID } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml'
import { startOf } from '../../src/manifests/node-events.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { suiteCases } from './suite-cases.ts'

type Start = readonly [what: string, at: number | undefined]

function startsByEvents(text: string): Start[] {
  const events = parseYaml(new TextSource('case.yaml', text))
  if (!isParsed(events)) throw new TypeError(events.message)
  const starts: Start[] = []
  for (const [index, event] of events.entries()) {
    const at = startOf(event, index, events, text, -1)
    if (event.type === EVENT_ID.SCALAR) starts.push(['scalar', at < 0 ? undefined : at])
    else if (event.type === EVENT_ID.ALIAS) starts.push(['alias', at])
    else if (event.type === EVENT_ID.MAPPING) starts.push(['mapping', at])
    else if (event.type === EVENT_ID.SEQUENCE) starts.push(['list', at])
  }
  return starts
}

function startsByYaml(text: string): Start[] {
  const starts: Start[] = []
  const add = (node: unknown): void => {
    if (isScalar(node)) {
      const isEmpty = node.range?.[0] === node.range?.[1]
      starts.push(['scalar', isEmpty ? undefined : node.range?.[0]])
    } else if (isAlias(node)) starts.push(['alias', node.range?.[0]])
    else if (isMap(node)) {
      starts.push(['mapping', node.range?.[0]])
      for (const { key, value } of node.items) {
        add(key)
        add(value)
      }
    } else if (isSeq(node)) {
      starts.push(['list', node.range?.[0]])
      for (const item of node.items) add(item)
    } else starts.push(['scalar', undefined])
  }
  for (const document of parseAllDocuments(text, { uniqueKeys: false }))
    add((document as { contents: unknown }).contents)
  return starts
}

/** Nodes that the yaml package places elsewhere: its way of counting, not another reading. */
const otherwise: Readonly<Record<string, string>> = {
  CFD4: 'a mapping in brackets with an empty key begins, for it, before the blank',
  HWV9: 'a document end alone is, for it, an empty document',
  J7PZ: 'it makes pairs of what is tagged as an ordered mapping',
  M7A3: 'a document end after a comment is, for it, an empty document',
  QT73: 'a document end alone is, for it, an empty document',
  V9D5: 'a mapping that is a key begins, for it, at the colon',
}

/** A mapping begins with the anchor or tag of its first key; for the yaml package, with the key. */
function pastProperties(text: string, [what, at]: Start): Start {
  if (what !== 'mapping' || at === undefined) return [what, at]
  const properties = /(?:[&!]\S*\s+)*/y
  properties.lastIndex = at
  return [what, at + (properties.exec(text)?.[0].length ?? 0)]
}

function expectAgreement(text: string): void {
  expect(startsByEvents(text).map((start) => pastProperties(text, start))).toEqual(startsByYaml(text))
}

const cases = (await suiteCases()).filter(({ invalid }) => !invalid)

describe('nodes begin where the yaml package finds them', () => {
  it.each(cases.filter(({ id }) => otherwise[id] === undefined).map(({ id, name, yaml }) => [id, name, yaml]))(
    'in %s %s',
    (_, __, yaml) => expectAgreement(yaml),
  )

  it.each([
    '- |\n  x\n-\n- |\n  y',
    '- !!str\n- |\n  y',
    '- &a\n- >\n  y',
    '-\n- [ ]\n- |\n  y',
    '- []\n- { }\n- |\n  y',
    '"|": |\n  x',
    '- a # |\n- |\n  y',
    "- '|'\n- |\n  y",
    '- !!str |\n  x\n- &a |\n  y',
    '- !!str # |\n  |\n  x',
    '- [[[], []], {}]\n- >-\n  y',
    '- *a\n- |\n  x',
    'a:\n- b:\n  - c:\n- |\n  x',
    '|\n x',
    '--- |\n x\n--- # |\n|\n x',
    '? |\n  x\n: |\n  y',
    'a:\n  |\n  x\nb: >\n\n\n  y\nc: |+\n\n\nd: |\n  e',
    'a: |\nb: |\n  x',
    'a: "x\n  |"\nb: |\n  x',
  ])('in %j', (yaml) => expectAgreement(yaml))

  it.each(Object.entries(otherwise))('but for %s: %s', (id) => {
    const yaml = cases.find((each) => each.id === id)?.yaml ?? ''
    expect(startsByEvents(yaml).map((start) => pastProperties(yaml, start))).not.toEqual(startsByYaml(yaml))
  })
})
