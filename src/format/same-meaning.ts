// Holds a formatted text to the one it was made from, by the parser that decides what manifests mean. The last line of
// defence: whatever the layout got wrong, a file whose content would change is not written.

import { isParsed, parseYaml } from '@svcsync/manifests/parse-yaml.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import { type DocumentEvent, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { Lexer } from 'yaml'

/** True if both have equal values, anchors, aliases, tags and comments in any order of keys. Undefined: no YAML. */
export function meansTheSame(before: string, after: string): boolean | undefined {
  const values = contentOf(before)
  if (values === undefined) return undefined
  if (values !== contentOf(after)) return false
  return commentsOf(before).join('\n') === commentsOf(after).join('\n')
}

function commentsOf(text: string): string[] {
  const comments: string[] = []
  if (!text.includes('#')) return comments
  // A mark precedes texts, so only comments begin with `#`.
  let isText = false
  for (const part of new Lexer().lex(text)) {
    if (!isText && part.startsWith('#')) comments.push(part.trimEnd())
    isText = part === '\u001f'
  }
  return comments.sort()
}

/** A text that is equal for equal content. Undefined: it does not parse. */
function contentOf(text: string): string | undefined {
  const events = parseYaml(new TextSource('', text))
  if (!isParsed(events)) return undefined
  const reader = new ContentReader(text, events)
  return JSON.stringify(reader.readAll())
}

class ContentReader {
  readonly #text: string
  readonly #events: readonly Event[]
  /** Anchor → the path of its node, at this point of the document. */
  #anchors = new Map<string, string>()
  #index = 0

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
  }

  readAll(): unknown[] {
    const documents: unknown[] = []
    while (this.#index < this.#events.length) {
      const document = this.#events[this.#index++] as DocumentEvent
      this.#anchors = new Map()
      const content = this.#isEnd() ? [] : [this.#read('')]
      this.#index++
      documents.push([document.directives, content])
    }
    return documents
  }

  #isEnd(): boolean {
    return (this.#events[this.#index] as Event | undefined)?.type === EVENT_ID.POP
  }

  #read(path: string): unknown {
    const event = this.#events[this.#index++] as Exclude<Event, DocumentEvent>
    if (event.type === EVENT_ID.POP) return undefined
    const anchor = event.anchorStart < 0 ? '' : this.#text.slice(event.anchorStart, event.anchorEnd)
    if (event.type === EVENT_ID.ALIAS) return ['alias', anchor, this.#anchors.get(anchor)]
    if (anchor !== '') this.#anchors.set(anchor, path)
    const tag = event.tagStart < 0 ? '' : this.#text.slice(event.tagStart, event.tagEnd)
    if (event.type === EVENT_ID.SCALAR) {
      const isPlain = event.style === SCALAR_STYLE.PLAIN
      return ['scalar', anchor, tag, isPlain, getScalarValue(this.#text, event)]
    }
    return event.type === EVENT_ID.SEQUENCE
      ? ['sequence', anchor, tag, this.#readItems(path)]
      : ['mapping', anchor, tag, this.#readPairs(path)]
  }

  #readItems(path: string): unknown[] {
    const items: unknown[] = []
    while (!this.#isEnd()) items.push(this.#read(`${path}/${items.length}`))
    this.#index++
    return items
  }

  #readPairs(path: string): unknown[] {
    const pairs: [string, unknown][] = []
    while (!this.#isEnd()) {
      const key = JSON.stringify(this.#read(`${path}/?`))
      pairs.push([key, this.#read(`${path}/${key}`)])
    }
    this.#index++
    return pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  }
}
