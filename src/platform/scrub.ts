// Makes text from a server safe to show: no secrets, no control characters, no endless paragraphs.

/** Terminal escapes, the marks that reorder text on screen, and white space, of which one blank is enough. */
const unprintable = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const maxShownLength = 500

/** Gives the text with every known secret replaced, also where it was encoded on its way. Bound to live secrets. */
export type Scrub = (text: string) => string

/** Reads the secrets anew on each use: tokens change while the client lives. */
export function createScrub(secrets: () => readonly string[]): Scrub {
  return (text) => {
    let clean = text
    for (const secret of secrets()) {
      if (secret === '') continue
      const encoded = encodeURIComponent(secret)
      const variants = [secret, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(secret).slice(1, -1)]
      for (const variant of new Set(variants)) clean = clean.replaceAll(variant, '[secret]')
    }
    // Scrubbed before it is cut: a cut through the middle would leave a part that no longer matches.
    clean = clean.replace(unprintable, ' ').trim()
    return clean.length > maxShownLength ? `${clean.slice(0, maxShownLength)}…` : clean
  }
}
