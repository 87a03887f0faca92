// The words of drift. It speaks of the platform as somebody finds it, where a plan speaks of what it is going to do.

import type { ReviewedChange } from './reviewed-change.ts'

/** Without a record of what was applied, the words below can be wrong in one way. */
export const driftCaveat =
  'Somebody probably did this by hand. Merged changes that are not applied yet, ' +
  'and changes of another repository, look the same.'

/** Names the finding on the platform by the action that a plan would take. */
export const driftVerbs: Readonly<Record<ReviewedChange['action'], string>> = {
  delete: 'created',
  update: 'changed',
  create: 'missing',
}

/** The same as a sign: of what is there and should not be, and of what is gone. */
export const driftMarks: Readonly<Record<ReviewedChange['action'], '+' | '~' | '-'>> = {
  delete: '+',
  update: '~',
  create: '-',
}

/** Possible causes of a difference. The platform does not tell who did it, so each text names all of them. */
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
 * The only way to these words. With a base it is known which side moved: what only may have been is not said, and
 * neither is whose hand it was. Another repository may declare the same list.
 */
export function causeWords(isKnown: boolean): typeof causes {
  if (!isKnown) return causes
  const platformWords = <Words extends Readonly<Record<string, string>>>(words: Words): Words =>
    Object.fromEntries(Object.entries(words).map(([key, text]) => [key, onPlatform(text)])) as Words
  return { object: platformWords(causes.object), entry: platformWords(causes.entry), value: onPlatform(causes.value) }
}

const onPlatform = (words: string): string => words.replace(/, or .*$/, '').replace('by hand', 'on the platform')

export function objectSentence(
  change: Pick<ReviewedChange, 'action' | 'place' | 'cause' | 'ended' | 'differences'>,
): string {
  const { action, place, cause, ended, differences } = change
  const isKnown = cause !== undefined || differences.some((each) => each.cause)
  const { missing, undeclared, absent } = causeWords(isKnown).object
  if (action === 'create') return `not there: ${missing}; healing creates it`
  if (ended !== undefined) return `ended ${ended.shown}; healing deletes it`
  const why = place === undefined ? undeclared : `declared absent: ${absent}`
  return `${why}; healing deletes it`
}
