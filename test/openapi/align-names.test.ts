// The law of aligning: what is aligned is right, whatever the document is like; and where only names and order differ,
// the names that are known to differ are all found.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { alignNames } from '../../src/openapi/align-names.ts'
import { readInterface } from '../../src/openapi/read-interface.ts'
import { isThorough } from '../harness/thorough.ts'
import { type ForeignOptions, foreignDocument, standIns } from './foreign-document.ts'

const versions = ['5.0', '6.0'] as const
const runs = Math.max(8, Math.ceil(Number(process.env.SVCSYNC_LAW_RUNS ?? 16) * 0.4))

function aligned(version: '5.0' | '6.0', options: ForeignOptions) {
  const ours = interfaceDocument(version)
  const { document, truth } = foreignDocument(ours, options)
  const found = alignNames(readInterface(ours, version), readInterface(document as never, version))
  const wrong = found.names.filter(({ name, real }) => truth.get(name) !== real)
  return { found, truth, wrong, ours: JSON.stringify(ours), document: JSON.stringify(document) }
}

it('whatever it aligns is right', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.integer(),
        names: fc.constantFrom('product', 'any', 'same'),
        missing: fc.boolean(),
        additional: fc.boolean(),
      }),
      fc.constantFrom(...versions),
      (options, version) => {
        const { found, wrong } = aligned(version, options)
        expect(wrong).toEqual([])
        const reals = found.names.map(({ real }) => real)
        expect(new Set(reals).size).toBe(reals.length)
      },
    ),
    { numRuns: runs * 3 },
  )
})

it('where only names and order differ, it finds every name of a product', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...versions), (seed, version) => {
      const { found, truth, ours } = aligned(version, { seed, names: 'product' })
      const there = standIns.filter((name) => ours.includes(`"${name}"`))
      expect(Object.fromEntries(found.names.map(({ name, real }) => [name, real]))).toEqual(
        Object.fromEntries(there.map((name) => [name, truth.get(name)])),
      )
      expect(found.open).toEqual([])
    }),
    { numRuns: runs },
  )
})

/** The share of renamed names that is found, in documents of these seeds. */
function recall(options: Omit<ForeignOptions, 'seed'>): number {
  let [found, all] = [0, 0]
  for (let seed = 1; seed <= (isThorough ? 12 : 4); seed++) {
    const one = aligned('6.0', { seed, ...options })
    found += one.found.names.length
    all += [...one.truth].filter(([name, real]) => name !== real && one.document.includes(`"${real}"`)).length
  }
  return found / all
}

it('finds most of what it can know', { timeout: 600_000 }, () => {
  expect(recall({ names: 'product', additional: true })).toBe(1)
  expect(recall({ names: 'product', missing: true, additional: true })).toBeGreaterThan(0.95)
  // Names without a meaning, where nothing is missing: several of one type in one place cannot be told apart.
  expect(recall({ names: 'any' })).toBeGreaterThan(0.75)
})

/** Ours, with other words: each in quotes stands for itself. */
function renamed(names: Readonly<Record<string, string>>) {
  const text = JSON.stringify(interfaceDocument('6.0'))
  const document = Object.entries(names).reduce((all, [name, real]) => all.replaceAll(`"${name}"`, `"${real}"`), text)
  return readInterface(JSON.parse(document), '6.0')
}
const ours = readInterface(interfaceDocument('6.0'), '6.0')
const table = (found: ReturnType<typeof alignNames>) =>
  Object.fromEntries(found.names.map(({ name, real }) => [name, real]))

it('tells two words of one enumeration apart by the product’s own word, which other names have', () => {
  const names = { svcId: 'acmeId', managerSvcId: 'managerAcmeId', 'Svc App': 'FlowSuite App' }
  const known = { ...names, SvcSelf: 'FlowSuiteItself', CrmSuiteB: 'Dynamo' }
  const found = alignNames(ours, renamed(known))
  expect(table(found)).toMatchObject(known)
  expect(found.open).toEqual([])
  const untold = alignNames(ours, renamed({ ...names, SvcSelf: 'OneSelf', CrmSuiteB: 'Dynamo' }))
  expect(untold.open.map(({ name, isWord, candidates }) => [name, isWord, [...candidates].sort()])).toEqual([
    ['CrmSuiteB', true, ['Dynamo', 'OneSelf']],
    ['SvcSelf', true, ['Dynamo', 'OneSelf']],
  ])
  expect(table(untold)).toMatchObject(names)
})

it('takes a name that is given by hand, and what follows from it', () => {
  const names = { svcId: 'acmeId', SvcSelf: 'OneSelf', CrmSuiteB: 'Dynamo' }
  const found = alignNames(ours, renamed(names), { SvcSelf: 'OneSelf' })
  expect(table(found)).toMatchObject(names)
  expect(found.names.find(({ name }) => name === 'SvcSelf')?.evidence).toEqual(['it was given by hand'])
  expect(found.open).toEqual([])
  // Against what the document says, too: whoever gives it knows why.
  expect(table(alignNames(ours, renamed({}), { SvcSelf: 'OneSelf' }))).toEqual({ SvcSelf: 'OneSelf' })
})
