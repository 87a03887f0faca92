// Strings with references inside: `${env:NAME}`, `${file:path}`, `${var:name}`, and `$${` for a literal `${`.

export interface Reference {
  readonly scheme: 'env' | 'file' | 'var'
  /** Name or path. */
  readonly name: string
  /** Where the `${` stands in the string. */
  readonly index: number
}

export interface Malformed {
  readonly index: number
  /** What is wrong, to follow the reference in a message. */
  readonly message: string
  readonly hint: string
}

export type TemplatePart = string | Reference | Malformed

const forms = 'Write `${env:NAME}`, `${file:path}` or `${var:name}`; a literal `${` is written `$${`.'

/** True where a string needs parsing at all. */
export function hasReference(text: string): boolean {
  return text.includes('${')
}

/** The parts of a string in their order. Parts that are malformed stand among them, so all are found at once. */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let literal = ''
  let index = 0
  while (index < text.length) {
    const next = text.indexOf('$', index)
    if (next < 0) {
      literal += text.slice(index)
      break
    }
    literal += text.slice(index, next)
    if (text.startsWith('$${', next)) {
      literal += '${'
      index = next + 3
    } else if (text.startsWith('${', next)) {
      if (literal !== '') parts.push(literal)
      literal = ''
      const end = text.indexOf('}', next)
      if (end < 0) {
        parts.push({ index: next, message: 'is not closed: a `}` is missing', hint: forms })
        return parts
      }
      parts.push(parseReference(text.slice(next + 2, end), next))
      index = end + 1
    } else {
      literal += '$'
      index = next + 1
    }
  }
  if (literal !== '') parts.push(literal)
  return parts
}

export function isReference(part: TemplatePart): part is Reference {
  return typeof part === 'object' && 'scheme' in part
}

function parseReference(inside: string, index: number): Reference | Malformed {
  const colon = inside.indexOf(':')
  const scheme = colon < 0 ? '' : inside.slice(0, colon)
  const name = inside.slice(colon + 1)
  if (scheme === 'env') {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return { scheme, name, index }
    return { index, message: 'does not name an environment variable: letters, digits and `_` make a name', hint: forms }
  }
  if (scheme === 'var') {
    if (/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) return { scheme, name, index }
    return { index, message: 'does not name a variable: letters, digits, `_`, `.` and `-` make a name', hint: forms }
  }
  if (scheme === 'file') {
    if (name.trim() === name && name !== '') return { scheme, name, index }
    return { index, message: 'does not name a file', hint: forms }
  }
  return { index, message: 'is of no known kind', hint: forms }
}
