// Passwords within other texts, such as addresses: a manifest or an answer holds them, and nothing shows them.
import { isJsonObject, type Json } from './json.ts'
import { Sensitive } from './sensitive.ts'

/** The text is known; its template is the text with `***` instead of the password, and no reference. */
export class WrittenPassword extends Sensitive {}

const keys = '(?:passw(?:or)?d|pwd|secret|(?:account|access|api)[_-]?key|access_token)'
const values = String.raw`("[^"]*"|'[^']*'|[^;&\s][^;&\n]*)`

/**
 * `//user:password@host`, `jdbc:oracle:thin:user/password@host`, and `password=…` in a query or a list of settings;
 * each with what such a text contains. Bounded lengths keep the search linear.
 */
const forms = [
  ['//', /\/\/[^/?#\s:@]*:([^/?#\s]+)@/dg],
  ['jdbc:oracle:', /\bjdbc:oracle:\w{1,9}:[^\s/@]{0,99}\/([^\s@]{1,999})@/dg],
  ['=', new RegExp(String.raw`(?:^|[;?&\n])[\w -]{0,99}${keys}[ \t]*=[ \t]*${values}`, 'dgi')],
] as const

/** A reference, or what stands for a password in a template: `${env:A}`, `{0}`, `{{a}}`, `<a>`, `%A%`, `***`. */
const placeholder = /^(["']?)(?:\$?\{+[^{}]*\}+|<[^<>]*>|%\w+%|\*+)\1$/

/** Where passwords begin and end. */
export function passwordsIn(text: string): readonly (readonly [start: number, end: number])[] {
  return forms.flatMap(([sign, form]) =>
    !text.includes(sign)
      ? []
      : [...text.matchAll(form)].flatMap(({ 1: password = '', indices }) =>
          indices?.[1] === undefined || placeholder.test(password) ? [] : [indices[1]],
        ),
  )
}

export function withoutPasswords(text: string): string {
  if (!forms.some(([sign]) => text.includes(sign))) return text
  const found = passwordsIn(text)
  let clean = ''
  let end = 0
  for (const [start, until] of [...found].sort(([a], [b]) => a - b)) {
    if (start >= end) clean += `${text.slice(end, start)}***`
    end = Math.max(end, until)
  }
  return clean + text.slice(end)
}

/** The value itself if none of its texts has a password. */
export function concealPasswords(value: Json): Json {
  if (typeof value === 'string') {
    const shown = withoutPasswords(value)
    return shown === value ? value : (new WrittenPassword(shown, value) as unknown as Json)
  }
  if (Array.isArray(value)) {
    const parts: readonly Json[] = value.map(concealPasswords)
    return parts.some((part, index) => part !== value[index]) ? parts : value
  }
  if (!isJsonObject(value) || value instanceof Sensitive) return value
  let changed: Record<string, Json> | undefined
  for (const key in value) {
    const part = value[key]
    const concealed = part === undefined ? undefined : concealPasswords(part)
    if (concealed === undefined || concealed === part) continue
    changed ??= {}
    changed[key] = concealed
  }
  return changed === undefined ? value : { ...value, ...changed }
}
