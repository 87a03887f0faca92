// Splits a text into pieces that a line of the terminal is not broken in.
import { formatPlace } from '@svcsync/errors/index.ts'
import type { Inline, Text } from '../blocks/block.ts'
import { foldNames } from '../text/counts.ts'
import type { Tone } from '../text/line.ts'
import { chunks, type Line, lineWidth, piece } from '../text/line.ts'
import { withCommands } from '../text/program-name.ts'

/** Inside of a word only where it is wider than a whole line. */
export function breakItems(items: readonly Line[], room: number): readonly Line[] {
  if (items.every((item) => lineWidth(item) <= room)) return items
  return items.flatMap((item) => {
    const [only, ...others] = item
    if (only === undefined || others.length > 0) return [item]
    return chunks(only.text, room).map((text) => [{ ...only, text }])
  })
}

export const inlines = (text: Text): readonly Inline[] => (typeof text === 'string' ? [text] : text)

/** Splits a text into unbreakable pieces; marks stay with the word before them, and brackets with the word behind. */
export function itemsOf(text: Text, whole: boolean, tone?: Tone): Line[] {
  const items: Line[] = []
  let isOpen = false
  for (const inline of inlines(text)) {
    for (const [index, item] of inlineItems(inline, whole, tone).entries()) {
      const last = items.at(-1)
      const [first] = item
      // Inside of a string its own blanks hold: `git push origin :refs/…`.
      if (last !== undefined && index === 0 && (isOpen || /^[,.;:)]/.test(first?.text ?? '')))
        items[items.length - 1] = [...last, ...item]
      else items.push(item)
      isOpen = item.at(-1)?.text.endsWith('(') === true
    }
  }
  return items
}

function inlineItems(inline: Inline, whole: boolean, tone?: Tone): Line[] {
  if (typeof inline === 'string') return wordsOf(withCommands(inline), tone)
  if ('words' in inline) return wordsOf(withCommands(inline.words), inline.tone)
  if ('name' in inline) return [[piece(inline.name, inline.tone ?? tone)]]
  if ('at' in inline) return [[piece(formatPlace(inline.at), 'faint')]]
  const { shown, note } = foldNames(inline.names, inline.weight === 'loss' ? '-' : '+', { whole })
  const items = shown.map((each, index): Line => {
    const isLast = index === shown.length - 1 && note === ''
    return [piece(each, tone), ...(isLast ? [] : [piece(',', 'faint')])]
  })
  return note === '' ? items : [...items, [piece(note, 'faint')]]
}

/** A number stays with its per cent sign. */
function wordsOf(text: string, tone?: Tone): Line[] {
  const words = piece(text).text.split(/ (?!%)/)
  return words.map((word) => [tone === undefined ? { text: word } : { text: word, style: tone }])
}
