// What the base declares and the manifests do not any more, by what becomes of it, with the line where it stood.
import { showElement } from '../../core/model/elements.ts'
import { groupBy } from '../../core/model/group-by.ts'
import type { NoLongerDeclared, PlanDocument } from '../../core/plan/plan-document.ts'
import { formatPlace } from '../../errors/index.ts'
import { partOf, type ShownPlan } from '../changes/by-cause.ts'
import { groupChanges, type PlanGroup } from '../changes/plan-groups.ts'
import { placedLines } from '../changes/row-lines.ts'
import { foldNames } from '../text/counts.ts'
import { type Flow, indent, type Line, piece, type Style, titled, wrapItems } from '../text/line.ts'
import { code, listSection, prose } from '../text/markdown.ts'

interface Fate {
  readonly becomes: NoLongerDeclared['becomes']
  readonly title: string
  readonly style: Style
  /** Who loses something is worth more lines. */
  readonly sign: '+' | '-'
}

const fates: readonly Fate[] = [
  { becomes: 'deleted', title: 'deleted', style: 'remove', sign: '-' },
  { becomes: 'removed', title: 'taken away', style: 'remove', sign: '-' },
  { becomes: 'inherits', title: 'inherits again', style: 'change', sign: '-' },
  { becomes: 'kept', title: 'stays as it is', style: 'faint', sign: '+' },
]

/** `No longer declared since 3f2a9c1`; drift says what is, and not what becomes of it. */
function sayGone({ base, pending }: ShownPlan): string {
  return `No longer declared since ${sayBase(base)}${pending === undefined ? '' : ', and what becomes of it with an apply'}`
}

/** `3f2a9c1`, or the folder. */
export function sayBase(base: PlanDocument['base']): string {
  const first = base?.from === 'ledger' ? base.begun?.find(({ commit }) => commit !== null) : undefined
  return (base?.commit ?? first?.commit)?.slice(0, 7) ?? base?.ref ?? ''
}

const partTitles: Readonly<Record<'declared' | 'live' | 'both', (since: string) => string>> = {
  declared: () => '',
  both: (since) => `Changed on the platform since ${since}, and in the manifests to something else`,
  live: (since) => `Changed on the platform since ${since}, and changed back`,
}

/** This change first, without a title, and what was changed on the platform apart from it. Drift is of one part. */
export function partsOf(plan: PlanDocument, groups: readonly PlanGroup[], drift: boolean) {
  if (!plan.base || drift) return [{ title: '', groups }]
  return (['declared', 'both', 'live'] as const)
    .map((part) => ({ title: partTitles[part](sayBase(plan.base)), groups: groupChanges(partOf(plan, part)) }))
    .filter((part) => part.groups.length > 0)
}

export function sayPending(base: PlanDocument['base']): string {
  return `Declared since ${sayBase(base)}, and not applied yet`
}

export function noLongerDeclaredLines(plan: ShownPlan, verbose: boolean): Flow[] {
  const { noLongerDeclared = [] } = plan
  return titled(
    sayGone(plan),
    'strong',
    fates.flatMap(({ becomes, title, style, sign }) => {
      const { shown, note } = foldNames(
        noLongerDeclared.filter((each) => each.becomes === becomes),
        sign,
        { whole: verbose },
      )
      const lists = groupBy(shown, ({ address, path, element }) => JSON.stringify([address, element && path]))
      const lines = [...lists.values()].flatMap(listLines)
      const rest = note === '' ? [] : [[indent(4), piece(note, 'faint')]]
      return lines.length === 0 ? [] : [[indent(2), piece(title, style)], ...lines, ...rest]
    }),
  )
}

function listLines(entries: readonly NoLongerDeclared[]): Flow[] {
  const [first, ...others] = entries as [NoLongerDeclared, ...NoLongerDeclared[]]
  const head = [indent(4), piece(first.address), piece(' ')]
  const at = ({ place }: NoLongerDeclared): string => formatPlace(place)
  const what = ({ path, element }: NoLongerDeclared): string =>
    element === undefined ? (path ?? '') : showElement(element)
  const list: Line[] = first.element === undefined ? [] : [[piece(first.path ?? '', 'faint')]]
  const reason: Line[] = first.reason === undefined ? [] : [[piece(`(${first.reason})`, 'faint')]]
  if (others.length === 0) {
    const named: Line[] = what(first) === '' ? [] : [[piece(what(first))]]
    return [wrapItems(head, [...list, ...named, [piece(at(first), 'faint')], ...reason])]
  }
  const names = entries.map((entry) => {
    return { name: piece(what(entry) === '' ? 'the object' : what(entry)), at: at(entry) }
  })
  return [wrapItems(head, [...list, ...reason]), placedLines(6, names)]
}

/** Without `kept`, which takes nothing from anybody, where there is little room. */
export function noLongerDeclaredSection(plan: ShownPlan, names: number): string[] {
  const { noLongerDeclared = [] } = plan
  const items = fates.flatMap(({ becomes, title }) =>
    noLongerDeclared
      .filter((each) => each.becomes === becomes)
      .map(({ address, path, element, reason, place }) => {
        const what = [
          ...(path === undefined ? [] : [prose(path)]),
          ...(element === undefined ? [] : [code(showElement(element))]),
        ]
        const why = reason === undefined ? '' : `, since ${prose(reason)}`
        const of = [code(address), ...what].join(' ')
        return `- ${becomes === 'kept' ? title : `**${title}**`}: ${of} (${code(formatPlace(place))})${why}`
      }),
  )
  return listSection(prose(sayGone(plan)), items, Math.min(names, 100))
}
