// A string that comes from the environment or a file: compared and sent, never shown.

/** Holds the value out of reach of printing, JSON and inspection; what is shown instead is the template. */
export class Sensitive {
  /** As written in the manifest: `${env:ERP_PASSWORD}`. */
  readonly template: string
  readonly #value: string
  /** There is no value here: nothing may be sent. */
  readonly isMissing: boolean

  constructor(template: string, value: string, isMissing = false) {
    this.template = template
    this.#value = value
    this.isMissing = isMissing
  }

  /** The value, only for the comparison with live state and for the body of a request. */
  reveal(): string {
    return this.#value
  }

  toJSON(): { readonly reference: string } {
    return { reference: this.template }
  }

  toString(): string {
    return this.template
  }
}

/** A text that somebody wrote: `String()` gives what may be shown, and that of a sensitive one is its reference. */
export type Text = string | Sensitive

/** To work with, not to show. */
export function plainText(text: Text): string {
  return typeof text === 'string' ? text : text.reveal()
}

/** A value for a request: reveals sensitive parts at any depth. */
export function revealSecrets(value: unknown): unknown {
  if (value instanceof Sensitive) return value.reveal()
  if (Array.isArray(value)) return value.map(revealSecrets)
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) result[key] = revealSecrets(part)
  return result
}

export function sensitivesIn(value: unknown, found: Sensitive[] = []): readonly Sensitive[] {
  if (value instanceof Sensitive) found.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) sensitivesIn(part, found)
  return found
}

/** In the place of a value with several of them. */
export function templatesOf(secrets: readonly Sensitive[]): string {
  return secrets.map(({ template }) => template).join(', ')
}

/** The text with references instead of the sensitive values in `sent`: a platform may quote what it refuses. */
export function concealSecrets(text: string, sent: unknown): string {
  if (sent instanceof Sensitive) {
    const value = sent.reveal()
    const forms = [value, value.replace(/\s+/g, ' ').trim(), JSON.stringify(value).slice(1, -1)]
    return forms.reduce((clean, form) => (form === '' ? clean : clean.replaceAll(form, sent.template)), text)
  }
  if (typeof sent !== 'object' || sent === null) return text
  return Object.values(sent).reduce((clean: string, part) => concealSecrets(clean, part), text)
}
