// Numbers in sentences, the same in every locale: the one place that knows what a plural is.

/** `1,234`. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 object`, `2 objects`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${byCount(count, singular, plural)}`
}

/** Chooses the word that agrees with a number: `is` or `are`, `it` or `them`. */
export function byCount<const One, const Several>(count: number, one: One, several: Several): One | Several {
  return count === 1 ? one : several
}
