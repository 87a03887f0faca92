// Words entries that only the base declares, if no change of the plan shows their fate.
import { showElement } from '@svcsync/core/model/elements.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { NoLongerDeclared, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Block, Row, Text } from '../blocks/block.ts'
import { name, names, parseBackticks, section, table, words } from '../blocks/block.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import type { Tone } from '../text/line.ts'

interface UndeclaredFate {
  readonly becomes: NoLongerDeclared['becomes']
  readonly title: string
  readonly tone: Tone
  /** A loss gets more lines. */
  readonly weight: Block<'table'>['weight']
}

const fates: readonly UndeclaredFate[] = [
  { becomes: 'deleted', title: 'deleted', tone: 'remove', weight: 'loss' },
  { becomes: 'removed', title: 'taken away', tone: 'remove', weight: 'loss' },
  { becomes: 'inherits', title: 'inherits again', tone: 'change', weight: 'loss' },
  { becomes: 'kept', title: 'stays as it is', tone: 'faint', weight: 'news' },
]

export function formatBase(base: PlanDocument['base']): string {
  const first = base?.from === 'ledger' ? base.begun?.find(({ commit }) => commit !== null) : undefined
  return (base?.commit ?? first?.commit)?.slice(0, 7) ?? base?.ref ?? ''
}

/** An undeclared object that stays has its row below. */
export function weakenedSection({ weakened = [], noLongerDeclared = [], base }: ShownPlan): Block[] {
  const addresses = new Set(noLongerDeclared.map(({ address }) => address))
  const own = weakened.filter(
    ({ what, address }) => what !== 'object' || address === undefined || !addresses.has(address),
  )
  const rows = own.map(({ sentence, certain, place, was }): Row => {
    const mark = certain === false ? ({ sign: '?' } as const) : ({ sign: '!' } as const)
    return { ...mark, tone: 'warning', cells: [parseBackticks(sentence)], place: place ?? was, tags: ['weakened'] }
  })
  const blocks = table(rows, { noun: ['safeguard', 'safeguards'], weight: 'loss' })
  return section(`The manifests loosen safeguards since ${formatBase(base)}`, 'warning', blocks, ['weakened'])
}

export function noLongerDeclaredSection({ noLongerDeclared = [], base, pending, changes }: ShownPlan): Block[] {
  // Drift says what is, and not what becomes of it; in a plan, a change tells it.
  const changed = new Set(pending === undefined ? changes.map(({ address }) => address) : [])
  // Lists of what is gone as a whole are gone with it.
  const whole = new Set(noLongerDeclared.flatMap(({ path, address }) => (path === undefined ? [address] : [])))
  const left = noLongerDeclared.filter(
    ({ becomes, address, path }) =>
      (becomes === 'kept' || !changed.has(address)) && (path === undefined || !whole.has(address)),
  )
  const tables = fates.flatMap((fate) => {
    const own = left.filter(({ becomes }) => becomes === fate.becomes)
    const lists = groupBy(own, ({ address, path, element }) => JSON.stringify([address, element && path]))
    return table(
      [...lists.values()].map((entries) => rowOf(entries, fate, changed)),
      { weight: fate.weight },
    )
  })
  const then = pending === undefined ? '' : ', and what becomes of it with an apply'
  return section(`No longer declared since ${formatBase(base)}${then}`, 'strong', tables, [
    'no-longer-declared',
    'weakened',
  ])
}

function rowOf(entries: readonly NoLongerDeclared[], fate: UndeclaredFate, changed: ReadonlySet<string>): Row {
  const [first, ...others] = entries as [NoLongerDeclared, ...NoLongerDeclared[]]
  const { address, path = '', element, reason, place } = first
  const { tone, weight } = fate
  // The plan may empty the lists of an object that nobody deletes.
  const title = fate.becomes === 'kept' && path === '' && changed.has(address) ? 'is not deleted' : fate.title
  const what = (each: NoLongerDeclared): string =>
    each.element === undefined ? (each.path ?? '') : showElement(each.element)
  const list = element === undefined || path === '' ? [] : [path]
  const isOne = others.length === 0
  const who: Text = isOne
    ? what(first) === ''
      ? []
      : [name(what(first))]
    : [
        names(
          entries.map((each) => `${what(each)} ${each.place.file}:${each.place.line}`),
          weight,
        ),
      ]
  return {
    cells: [[words(title, tone)], [name(address), ...list, ...who]],
    ...(isOne && { place }),
    below: reason === undefined ? [] : [`since ${reason}`],
    stands: entries.length,
  }
}
