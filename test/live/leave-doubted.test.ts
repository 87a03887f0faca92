// Fields in doubt are left out of an export, and named once for each name of a kind.
import { expect, it } from 'vitest'
import type { DoubtedName } from '../../src/core/model/known-names.ts'
import type { Live } from '../../src/core/model/live.ts'
import type { LiveItem } from '../../src/core/model/live-tree.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { leaveDoubted } from '../../src/live/leave-doubted.ts'

function left(
  all: readonly { readonly kind: Live['kind']; readonly spec: object; readonly doubted?: readonly DoubtedName[] }[],
) {
  const told = new Map(
    all.map(({ kind, spec, doubted }, index) => [
      { kind, database: 'main', address: `x/${index}` } as unknown as LiveItem,
      { kind, spec, doubted, collections: {} } as unknown as Live,
    ]),
  )
  const { told: without, leftOut } = leaveDoubted(told, {})
  return { specs: [...without.values()].map(({ spec }) => spec), leftOut }
}
const doubt = (path: string, ...met: string[]): DoubtedName => ({
  path: path.split('.'),
  name: 'common',
  isWord: false,
  met,
})

it('leaves all of it as it is where nothing is in doubt', () => {
  const spec = { common: 'x' }
  expect(
    left([
      { kind: constant, spec },
      { kind: constant, spec, doubted: [] },
    ]),
  ).toEqual({ specs: [spec, spec], leftOut: [] })
})

it('takes each field out once, and counts its objects and what they hold instead', () => {
  const spec = { common: 'x', test: { common: 'y', other: 1 }, dev: 'z' }
  const twice = doubt('common', 'a')
  const { specs, leftOut } = left([
    { kind: constant, spec, doubted: [twice, { ...twice, name: 'other' }] },
    { kind: constant, spec, doubted: [doubt('test.common', 'b')] },
    { kind: constant, spec, doubted: [doubt('dev.common', 'c')] },
    { kind: constant, spec },
  ])
  const { common: _, ...others } = spec
  expect(specs).toEqual([others, { ...spec, test: { other: 1 } }, spec, spec])
  expect(leftOut).toMatchObject([{ kind: constant, database: 'main', address: 'constant/main', field: 'common' }])
  expect(leftOut[0]?.reason).toMatch(/^.*, 3: answers lack it, and hold `a`, `b`, `c`, which svcsync does not know$/)
  expect(leftOut[0]?.hint).toMatch(/`common: a`|common: a/)
})

it('leaves a word out that no manifest can have, by the name of its field', () => {
  const word = (name: string, path: readonly string[]): DoubtedName => ({ path, name, isWord: true, met: ['Odd'] })
  const { specs, leftOut } = left([
    { kind: constant, spec: { common: 'Odd' }, doubted: [word('Even', ['common'])] },
    { kind: license, spec: { common: 'Odd' }, doubted: [word('Even', ['licenses', 'type'])] },
  ])
  expect(specs).toEqual([{ common: 'Odd' }, { common: 'Odd' }])
  expect(leftOut).toEqual([])
})
