// The words of drift. It speaks of the platform as somebody finds it, where a plan speaks of what it is going to do.
import { shellOption, shellWord } from '../../core/guards/shell-option.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { type Row, ungrouped } from './difference-rows.ts'
import type { EntryGroup } from './entry-groups.ts'
import { type ChangeAction, countElements, formatElements, type PlanGroup } from './plan-groups.ts'

/** Nothing records what was applied, so the words below can be wrong in one way. */
export const driftCaveat = 'By hand, as far as can be told: what was merged and not applied yet looks the same.'

/** What the platform shows, by what a plan would do about it. */
export const foundAs: Readonly<Record<ChangeAction, string>> = {
  delete: 'created',
  update: 'changed',
  create: 'deleted',
}

/** Of an object that is on one side only. */
export const objectSentences: Readonly<Record<Exclude<ChangeAction, 'update'>, string>> = {
  create: 'deleted by hand; healing creates it',
  delete: 'created by hand; healing deletes it',
}

interface ElementPhrase {
  /** `added by hand`, `removed by hand`; `ended 2026-11-30`: nobody did that. Words that stay together. */
  readonly what: readonly string[]
  /** `healing removes it`. */
  readonly healing: string
  /** As a difference from what is declared to what is there. */
  readonly sign: '+' | '-'
  readonly names: readonly string[]
  /** Those that have a line of their own, with it. */
  readonly placed: EntryGroup['entries']
}

/** Of one list or level, each entry once. */
export function elementPhrases(row: Extract<Row, { form: 'elements' }>): ElementPhrase[] {
  const { plus, minus } = ungrouped(row)
  const phrase = (sign: '+' | '-', what: readonly string[], names: readonly string[]): ElementPhrase => {
    return { what, sign, names, placed: [], healing: heals(sign, names.length) }
  }
  return [
    ...(minus.length > 0 ? [phrase('+', ['added by hand'], minus)] : []),
    ...(plus.length > 0 ? [phrase('-', ['removed by hand'], plus)] : []),
    ...row.groups.map(({ sign, reason, entries }): ElementPhrase => {
      const seen = sign === '+' ? '-' : '+'
      const what = seen === '-' ? ['removed by hand,', ...reason] : reason
      return { what, sign: seen, names: [], placed: entries, healing: heals(seen, entries.length) }
    }),
  ]
}

/** What healing does about what was found. */
export const healingOf = { '+': '-', '-': '+' } as const

function heals(sign: '+' | '-', count: number): string {
  return `healing ${sign === '+' ? 'removes' : 'adds'} ${count === 1 ? 'it' : 'them'}`
}

/** `0 created, 1 changed, 0 deleted`. */
export function countFound({ counts }: Pick<PlanDocument, 'counts'>): string {
  return (['delete', 'update', 'create'] as const)
    .map((action) => `${formatNumber(counts[action])} ${foundAs[action]}`)
    .join(', ')
}

/** What the counts of objects leave out, and what it takes to heal. */
export function sayExtent(plan: PlanDocument, groups: readonly PlanGroup[]): string {
  const elements = countElements(groups)
    .filter(({ added, removed }) => added + removed > 0)
    .map(({ collection, added, removed }) => formatElements({ collection, added: removed, removed: added }))
  const parts = [...(elements.length > 0 ? [elements.join(', ')] : [])]
  return [...parts, `healing takes ${formatCount(plan.counts.steps, 'request')}`].join('; ')
}

export interface WayOn {
  readonly what: string
  /** Undefined: there is nothing to run. */
  readonly command: string | undefined
}

export interface WaySettings {
  /** That make the same plan again, quoted for a shell. */
  readonly options?: readonly string[]
  /** Those of them that an export takes. */
  readonly exportOptions?: readonly string[]
}

/** So many objects are named in a command that is there to be copied. */
const maxNamed = 3

/** To heal, and to write down. Empty where nothing differs. */
export function waysOn(plan: PlanDocument, { options = [], exportOptions = [] }: WaySettings): WayOn[] {
  if (plan.changes.length === 0) return []
  const refused = plan.guards.filter(({ verdict }) => verdict === 'refused')
  const allowed = plan.guards.filter(({ verdict }) => verdict === 'allowed').flatMap(({ allow }) => allow ?? [])
  const only = plan.only.map((glob) => `--only ${shellWord(glob)}`)
  const also = refused.length === 0 ? '' : `, with what the guards above want`
  const heal = ['svcsync apply', ...options, ...only, ...new Set(allowed.map(shellOption))]
  const there = plan.changes.filter(({ action }) => action !== 'create').map(({ address }) => address)
  const named = there.slice(0, maxNamed).map((address) => `--only ${shellWord(address)}`)
  const rest = there.length - named.length
  const others = rest > 0 ? ` (the first ${maxNamed} of ${formatNumber(there.length)} objects)` : ''
  const prints = there.length === 0 ? '' : `; this prints what is there${others}`
  return [
    { what: `To heal, so that the platform is as declared${also}`, command: heal.join(' ') },
    {
      what: `To write it down, change the manifests at the places above${prints}`,
      command: there.length === 0 ? undefined : ['svcsync export', ...exportOptions, ...named].join(' '),
    },
  ]
}
