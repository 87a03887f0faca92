// XML from data, well-formed whatever the data are.
import { neutralise } from './neutralise.ts'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** Elements, or lines of text. */
  readonly content?: readonly XmlElement[] | readonly string[]
}

export function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, '')}`
}

function renderElement({ name, attributes, content = [] }: XmlElement, margin: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  const start = `${margin}<${name}${pairs.join('')}`
  if (content.length === 0) return `${start}/>\n`
  const lines = content.filter((item) => typeof item === 'string')
  // No white space is added to text.
  if (lines.length > 0) return `${start}>${lines.map(escapeXml).join('\n')}</${name}>\n`
  const inner = content.filter((item) => typeof item !== 'string').map((item) => renderElement(item, `${margin}  `))
  return `${start}>\n${inner.join('')}${margin}</${name}>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '#': '&#35;',
  ':': '&#58;',
  '\ufffe': '\\u{fffe}',
  '\uffff': '\\u{ffff}',
}

/**
 * XML has no way to write a control character, not even as an entity: they are shown as elsewhere. Neither has it one
 * for the last two code units. `##` and `::` are taken apart because runners look for commands behind them in a log.
 */
function escapeXml(text: string): string {
  return neutralise(text).replace(/[&<>"'\ufffe\uffff]|#(?=#)|:(?=:)/g, (char) => entities[char] as string)
}
