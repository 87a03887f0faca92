// The words of drift. It speaks of the platform as somebody finds it, where a plan speaks of what it is going to do.

import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { type Row, ungrouped } from './difference-rows.ts'
import {
  countElements,
  formatAccess,
  formatElements,
  formatRequests,
  type PlanGroup,
  type ReviewedChange,
} from './plan-groups.ts'

/** Without a record of what was applied, the words below can be wrong in one way. */
export const driftCaveat =
  'By hand, as far as can be told: what was merged and not applied yet, or comes from another repository, looks the same.'

/** What the platform shows, by what a plan would do about it. */
export const foundAs: Readonly<Record<ReviewedChange['action'], string>> = {
  delete: 'created',
  update: 'changed',
  create: 'missing',
}

/** What may have led to a difference. Nothing says who did it, so each names all that it may be. */
const causes = {
  object: {
    missing: 'deleted by hand, or never applied',
    undeclared: 'created by hand, or no longer declared',
    absent: 'created by hand, or its deletion never applied',
  },
  entry: { added: 'added by hand', missing: 'removed by hand, or never applied' },
  value: 'changed by hand',
}

/**
 * The only way to these words. With a base it is known which side moved: what only may have been is not said, and neither is whose hand
 * it was. Another repository may declare the same list.
 */
export function causesAs(isKnown: boolean): typeof causes {
  if (!isKnown) return causes
  const told = <Words extends Readonly<Record<string, string>>>(words: Words): Words =>
    Object.fromEntries(Object.entries(words).map(([key, text]) => [key, onPlatform(text)])) as Words
  return { object: told(causes.object), entry: told(causes.entry), value: onPlatform(causes.value) }
}

const onPlatform = (words: string): string => words.replace(/, or .*$/, '').replace('by hand', 'on the platform')

/** Of an object that is on one side only: what there is to see, and what healing does about it. */
export function objectSentence(change: Pick<ReviewedChange, 'action' | 'place' | 'cause' | 'differences'>): string {
  const { action, place, cause, differences } = change
  const isKnown = cause !== undefined || differences.some((each) => each.cause)
  const { missing, undeclared, absent } = causesAs(isKnown).object
  if (action === 'create') return `not there: ${missing}; healing creates it`
  const why = place === undefined ? undeclared : `declared absent: ${absent}`
  return `${why}; healing deletes it`
}

interface ElementPhrase {
  /** `added by hand`, `not there`; `ended 2026-11-30`: nobody did that. Words that stay together. */
  readonly what: readonly string[]
  /** `removed by hand, or never applied`: where `what` does not say it. */
  readonly cause: string | undefined
  /** `healing removes it`. */
  readonly healing: string
  /** As a difference from what is declared to what is there. */
  readonly sign: '+' | '-'
  readonly names: readonly string[]
  /** Those that have a line of their own, with it. */
  readonly placed: Row<'elements'>['groups'][number]['entries']
}

/** Of one list or level, each entry once. */
export function elementPhrases(row: Row<'elements'>): ElementPhrase[] {
  const { plus, minus } = ungrouped(row)
  const { added, missing } = causesAs(row.isKnown === true).entry
  const phrase = (sign: '+' | '-', what: readonly string[], names: readonly string[]): ElementPhrase => {
    const cause = sign === '-' ? missing : undefined
    return { what, cause, sign, names, placed: [], healing: heals(sign, names.length) }
  }
  return [
    ...(minus.length > 0 ? [phrase('+', [added], minus)] : []),
    ...(plus.length > 0 ? [phrase('-', ['not there'], plus)] : []),
    ...row.groups.map(({ sign, reason, entries }): ElementPhrase => {
      const seen = sign === '+' ? '-' : '+'
      const what = seen === '-' ? ['not there,', ...reason] : reason
      return { ...phrase(seen, what, []), placed: entries, healing: heals(seen, entries.length) }
    }),
  ]
}

export const healingOf = { '+': '-', '-': '+' } as const

function heals(sign: '+' | '-', count: number): string {
  return `healing ${sign === '+' ? 'removes' : 'adds'} ${count === 1 ? 'it' : 'them'}`
}

/** `0 created, 1 changed, 0 deleted`. */
export function countFound({ counts, accessDrift }: PlanDocument): string {
  const undeclared = accessDrift?.undeclared ?? 0
  const objects = (['delete', 'update', 'create'] as const)
    .map((action) => `${formatNumber(counts[action])} ${foundAs[action]}`)
    .join(', ')
  return undeclared === 0 ? objects : `${objects}, ${formatCount(undeclared, 'level')} undeclared`
}

/** What the counts of objects leave out, and what it takes to heal. */
export function sayExtent(plan: PlanDocument, groups: readonly PlanGroup[]): string {
  const elements = countElements(groups)
    .filter(({ added, removed }) => added + removed > 0)
    .map(({ collection, added, removed }) => formatElements({ collection, added: removed, removed: added }))
  const parts = [elements.join(', '), formatAccess(plan, true)].filter((part) => part !== '')
  if (plan.changes.length === 0) return parts.join('; ')
  return [...parts, `healing takes ${formatRequests(plan)}`].join('; ')
}
