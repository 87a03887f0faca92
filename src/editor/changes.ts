// Changes of a text: which characters become which. All are known before any is made.

export interface Change {
  readonly start: number
  /** Exclusive; `start` where something is added. */
  readonly end: number
  readonly text: string
}

/** What lies within something that goes as a whole goes with it. Undefined: two of them want the same characters. */
export function applyChanges(text: string, changes: readonly Change[]): string | undefined {
  const sorted = [...changes].sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let at = 0
  let removedTo = 0
  for (const { start, end, text: added } of sorted) {
    if (end <= removedTo && start < removedTo) continue
    if (start < at && (added !== '' || at !== removedTo)) return undefined
    result += text.slice(at, Math.max(at, start)) + added
    at = end
    if (added === '') removedTo = end
  }
  return result + text.slice(at)
}
