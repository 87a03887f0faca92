// The parser's events in the notation of the YAML test suite: one event a line, indented by depth.
import {
  COLLECTION_STYLE,
  type DocumentEvent,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'

const signs = {
  [SCALAR_STYLE.PLAIN]: ':',
  [SCALAR_STYLE.SINGLE_QUOTED]: "'",
  [SCALAR_STYLE.DOUBLE_QUOTED]: '"',
  [SCALAR_STYLE.LITERAL_BLOCK]: '|',
  [SCALAR_STYLE.FOLDED_BLOCK]: '>',
}
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
}

export function eventTree(events: readonly Event[], text: string): string {
  const lines = ['+STR']
  const open: string[] = []
  let document: DocumentEvent | undefined
  const say = (what: string) => lines.push(`${' '.repeat(open.length + 1)}${what}`)
  const begin = (what: string, end: string) => {
    say(`+${what}`)
    open.push(`-${end}`)
  }
  const flow = (event: MappingEvent | SequenceEvent, sign: string): string =>
    `${event.style === COLLECTION_STYLE.FLOW ? ` ${sign}` : ''}${marks(event, text, document)}`
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        document = event
        begin(`DOC${event.explicitStart ? ' ---' : ''}`, `DOC${event.explicitEnd ? ' ...' : ''}`)
        break
      case EVENT_ID.MAPPING:
        begin(`MAP${flow(event, '{}')}`, 'MAP')
        break
      case EVENT_ID.SEQUENCE:
        begin(`SEQ${flow(event, '[]')}`, 'SEQ')
        break
      case EVENT_ID.POP: {
        const end = open.pop() ?? ''
        say(end)
        break
      }
      case EVENT_ID.ALIAS:
        say(`=ALI *${text.slice(event.anchorStart, event.anchorEnd)}`)
        break
      default: {
        const value = getScalarValue(text, event).replace(/[\\\n\t\r\b]/g, (char) => escapes[char] ?? char)
        say(`=VAL${marks(event, text, document)} ${signs[event.style]}${value}`)
      }
    }
  }
  return [...lines, '-STR', ''].join('\n')
}

/** Anchor and tag of a node, the tag in full. */
function marks(event: MappingEvent | SequenceEvent | ScalarEvent, text: string, document?: DocumentEvent): string {
  const anchor = event.anchorStart < 0 ? '' : ` &${text.slice(event.anchorStart, event.anchorEnd)}`
  return event.tagStart < 0 ? anchor : `${anchor} <${fullTag(text.slice(event.tagStart, event.tagEnd), document)}>`
}

function fullTag(written: string, document?: DocumentEvent): string {
  if (written.startsWith('!<')) return written.slice(2, -1)
  const handle = /^!(?:[\w-]*!)?/.exec(written)?.[0] ?? ''
  const directive = document?.directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const prefix = directive?.kind === 'tag' ? directive.prefix : handle === '!!' ? 'tag:yaml.org,2002:' : handle
  return decodeURIComponent(prefix + written.slice(handle.length))
}
