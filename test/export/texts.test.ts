// Whatever stands in a name or a value: what is exported reads back as it was, by the parser of manifests and by the
// other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { LiveItem } from '../../src/core/model/live-tree.ts'
import { exportFiles } from '../../src/export/export-files.ts'
import { formatText } from '../../src/format/format-text.ts'
import { kinds } from '../../src/kinds/index.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'
import { hostileText } from '../harness/hostile-text.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-export-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const kind = (name: string): Kind => kinds.find((each) => each.name === name) as Kind
const { document } = manifestShapeOf(kinds)

function item(kindName: string, identity: string, spec: JsonObject, members: readonly string[] = []): LiveItem {
  const collections = { members: members.map((svcId) => keyedElement({ svcId }, (id) => id)) }
  const address = `${kindName}/${identity}`
  return {
    kind: kind(kindName),
    address,
    identity,
    database: undefined,
    parent: undefined,
    wanted: true,
    spec,
    collections,
  }
}

function textOf(items: readonly LiveItem[], accountNames: ReadonlyMap<string, string> = new Map()): string {
  const options = {
    kinds,
    normalise: (id: string) => id,
    databases: ['main'],
    extent: 'lists' as const,
    schemaFor: () => 'schema.json',
  }
  return exportFiles({ items, leftOut: [], passed: [], lacking: [], accountNames }, options)
    .files.map(({ text }) => text)
    .join('---\n')
}

function load(text: string) {
  const file = join(dir, 'm.yaml')
  writeFileSync(file, text)
  const loaded = loadManifests({ files: [file], kinds, variables: {}, env: {}, projectDir: dir, displayBase: dir })
  expect(loaded.problems.map(({ message }) => message)).toEqual([])
  // Without places.
  return JSON.parse(JSON.stringify(loaded.declarations.map((declaration) => declaration.item)))
}

const filled = hostileText.filter((text) => text !== '')

it('texts of every sort survive, and the layout is canonical', () => {
  fc.assert(
    fc.property(filled, filled, filled, fc.uniqueArray(filled, { minLength: 1, maxLength: 5 }), (name, a, b, ids) => {
      const text = textOf(
        [item('constant', name, { description: a, common: b }), item('group', b, { name: a }, ids)],
        new Map(ids.map((id) => [id, a])),
      )
      const [group, constant] = load(text)
      expect(constant).toEqual({ name, description: a, common: b })
      expect(group).toEqual({ svcId: b, name: a, members: [...ids].sort((x, y) => (x < y ? -1 : 1)) })
      expect(formatText(text, document)).toEqual({ text })
      const [first, second] = text.split('\n---\n').map((each) => parse(each)) as [JsonObject, JsonObject]
      const escaped = (value: string) => value.replaceAll('${', () => '$${')
      expect(first.groups).toMatchObject([{ svcId: escaped(b), name: escaped(a) }])
      expect(second.constants).toEqual([{ name: escaped(name), description: escaped(a), common: escaped(b) }])
    }),
    { numRuns: Number(process.env.SVCSYNC_LAW_RUNS ?? 16) * 5 },
  )
}, 240_000)

describe('a text', () => {
  it.each([
    ['https://erp.example.com:8443/a?b=c', 'https://erp.example.com:8443/a?b=c'],
    ['Invoices, receipts; and more!', 'Invoices, receipts; and more!'],
    ["the ERP's", "the ERP's"],
    ['0755', '"0755"'],
    ['no', '"no"'],
    ['1e3', '"1e3"'],
    ['2026-11-20', '"2026-11-20"'],
    ['3f0c1d52-6f2e-4a57-9d3b-0a4f5f6c7e81', '3f0c1d52-6f2e-4a57-9d3b-0a4f5f6c7e81'],
    ['${env:PATH}', '"$${env:PATH}"'],
    ['\u202eabc', '"\\u202eabc"'],
    ['first\nsecond', '|-\n      first\n      second'],
  ])('%j is written as %s', (value, written) => {
    expect(textOf([item('constant', 'C', { common: value })])).toContain(`    common: ${written}\n`)
  })
})

it('names of accounts stand beside ids that do not tell them, and cannot leave their comment', () => {
  const text = textOf(
    [item('group', 'g', { name: 'G' }, ['u1', 'anna.nowak@example.com', 'u2'])],
    new Map([
      ['u1', 'Jan\nKos: [x]\u2028# y'],
      ['anna.nowak@example.com', 'Anna Nowak'],
    ]),
  )
  expect(text).toContain('      - anna.nowak@example.com\n      - u1 # Jan Kos: [x] # y\n      - u2\n')
})
