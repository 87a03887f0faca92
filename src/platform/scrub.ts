// Makes text from a server safe to show: no secrets, no control characters, no endless paragraphs.
import { patternOf } from './quoted-secret.ts'

/** Terminal escapes, the marks that reorder text on screen, and white space, of which one blank is enough. */
const unprintable = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const maxShownLength = 500

/** Shorter ones are no secrets, and stand in many a word. The step that sends one keeps it out of its own errors. */
const shortestConcealed = 4

export interface Secret {
  readonly value: string
  /** What stands in its place. */
  readonly shown: string
}

/** Makes a text safe to show. */
export interface Scrub {
  /** Every known secret is replaced, also where it was encoded on its way. Bound to live secrets. */
  (text: string): string
  /** The same for a word that decides something, such as a kind of error: only credentials and tokens are replaced. */
  word(text: string): string
}

/**
 * Both are asked anew on each use: tokens change while the client lives. `credentials`: never shown at all. `values`: what
 * manifests take from elsewhere; a platform may quote what it refuses.
 */
export function createScrub(credentials: () => readonly string[], values: () => readonly Secret[]): Scrub {
  const own = (): Secret[] =>
    credentials()
      .filter((value) => value.trim() !== '')
      .map((value) => ({ value, shown: '[secret]' }))
  const scrub = (text: string): string => {
    const others = values().filter(({ value }) => value.trim().length >= shortestConcealed)
    return shortened(replaced(text, [...own(), ...others]))
  }
  return Object.assign(scrub, { word: (text: string) => shortened(replaced(text, own())) })
}

/** The longest first: one secret may be part of another. */
function replaced(text: string, secrets: readonly Secret[]): string {
  let clean = text
  for (const { value, shown } of [...secrets].sort((a, b) => b.value.length - a.value.length)) {
    clean = clean.replace(patternOf(value), () => shown)
  }
  return clean
}

/** Scrubbed before it is cut: a cut through the middle would leave a part that no longer matches. */
function shortened(text: string): string {
  const clean = text.replace(unprintable, ' ').trim()
  return clean.length > maxShownLength ? `${clean.slice(0, maxShownLength)}…` : clean
}
