// Which comments an entry has room for.
import type { Entry, ScalarNode, Trivia } from './layout.ts'

export function emptyEntry(leading: Trivia[], key?: Entry['key']): Entry {
  const value: ScalarNode = { type: 'scalar', props: [], lines: [], alias: undefined }
  return { leading, key, value, afterKey: undefined, afterValue: undefined }
}

export function afterKeyOf(entry: Entry): (text: string) => boolean {
  return (text) => {
    if (entry.afterKey !== undefined) return false
    entry.afterKey = text
    return true
  }
}

export function afterValueOf(entry: Entry): (text: string) => boolean {
  return (text) => {
    if (entry.afterValue !== undefined) return false
    entry.afterValue = text
    return true
  }
}

/** A value of one line has room for one comment behind it. */
export function settleComments(entry: Entry): void {
  if (entry.afterKey === undefined) return
  if (entry.afterValue === undefined) entry.afterValue = entry.afterKey
  else entry.leading.push({ text: entry.afterKey, column: 0 })
  entry.afterKey = undefined
}

export function withoutBlanks(list: readonly Trivia[]): Trivia[] {
  return list.filter(({ text }) => text !== '')
}
