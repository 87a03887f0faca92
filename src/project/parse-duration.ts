// Durations as people write them: `500ms`, `30s`, `2m`, `1h`.

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds. Undefined: the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h)$/.exec(text.trim())
  if (match === null) return undefined
  const ms = Math.round(Number(match[1]) * (units[match[2] as string] as number))
  return ms > 0 && ms < 2 ** 31 ? ms : undefined
}
