// Strings with references inside: `${env:NAME}`, `${file:path}`, `${var:name}`, and `$${` for a literal `${`.
export interface Reference {
  readonly scheme: 'env' | 'file' | 'var'
  /** Name or path. */
  readonly name: string
  /** The index of `${` in the string. */
  readonly index: number
}

interface Malformed {
  readonly index: number
  readonly code: 'SVC1204'
  readonly message: string
  readonly hint: string
}

type TemplatePart = string | Reference | Malformed

const forms = 'Write `${env:NAME}`, `${file:path}` or `${var:name}`; a literal `${` is written `$${`.'

export function hasReference(text: string): boolean {
  return text.includes('${')
}

/** True where it holds one: `$${` alone is text. */
export function namesReference(text: string): boolean {
  return hasReference(text) && parseTemplate(text).some((part) => typeof part !== 'string')
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
        parts.push(malformed(next, 'is not closed: a `}` is missing'))
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

/** Every reference is resolved, so that all problems are reported. One without text leaves the whole without text. */
export function joinParts<T = never>(
  parts: readonly TemplatePart[],
  follow: (part: Reference | Malformed) => string | T | undefined,
): string | T | undefined {
  let whole: string | T | undefined = ''
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : follow(part)
    if (typeof whole === 'string' && typeof piece === 'string') whole += piece
    else whole = whole === undefined || piece === undefined ? undefined : typeof whole === 'string' ? piece : whole
  }
  return whole
}

export function isReference(part: TemplatePart): part is Reference {
  return typeof part === 'object' && 'scheme' in part
}

/** By scheme: the form of a name, and what is wrong with one that has not got it. */
const schemes: Readonly<Record<Reference['scheme'], readonly [RegExp, string]>> = {
  env: [/^[A-Za-z_]\w*$/, 'does not name an environment variable: letters, digits and `_` make a name'],
  var: [/^\w[\w.-]*$/, 'does not name a variable: letters, digits, `_`, `.` and `-` make a name'],
  file: [/^\S(?:.*\S)?$/s, 'does not name a file'],
}

function parseReference(inside: string, index: number): Reference | Malformed {
  const [, scheme = '', name = ''] = /^(env|var|file):(.*)$/s.exec(inside) ?? []
  if (scheme === '') return malformed(index, 'is of no known kind')
  const [form, flaw] = schemes[scheme as Reference['scheme']]
  return form.test(name) ? { scheme: scheme as Reference['scheme'], name, index } : malformed(index, flaw)
}

function malformed(index: number, message: string): Malformed {
  return { index, code: 'SVC1204', message: `The reference ${message}`, hint: forms }
}
