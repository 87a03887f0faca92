// A problem is one finding about what a person wrote: data, so that all of them can be shown together, each with its
// place.

export interface Problem {
  /** Stable and documented, e.g. `SVC1203`. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** The mistake, in one sentence without a full stop at the end of a name. */
  readonly message: string
  readonly place?: Place | undefined
  /** The address of the object concerned, when it is known. */
  readonly address?: string | undefined
  /** The svcId of the account concerned, where nobody knows it. */
  readonly account?: string | undefined
  /** The targets that have the problem, if others of the project do not. */
  readonly targets?: readonly string[] | undefined
  /** The remedy, in one sentence. */
  readonly hint?: string | undefined
  /** Other places that belong to the same finding, e.g. the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[] | undefined
}

/** An error in what a person wrote. */
export function errorAt(code: string, message: string, place: Place | undefined, hint?: string): Problem {
  return { code, severity: 'error', message, place, hint }
}

/** Orders by place (problems without one come last), then code, then message. */
export function compareProblems(a: Problem, b: Problem): number {
  if (a.place && b.place) {
    const byPlace = comparePlaces(a.place, b.place)
    if (byPlace !== 0) return byPlace
  } else if (a.place || b.place) {
    return a.place ? -1 : 1
  }
  if (a.code !== b.code) return a.code < b.code ? -1 : 1
  return a.message < b.message ? -1 : a.message > b.message ? 1 : 0
}

/** Sorted, each once: an anchored value is read wherever it is used, and may be wrong each time. */
export function distinctProblems(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || problem.place === undefined || compareProblems(before, problem) !== 0
  })
}

/** A place in a file that a person wrote. */
export interface Place {
  /** Path as it should be shown: relative to the working folder where possible, with forward slashes. */
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 code units. */
  readonly column: number
}

/** `file:line:column`, the form that terminals and editors turn into links. */
export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`
}

/** Orders by file, then line, then column. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}

/** A name in a sentence, as code: between more backticks than it holds itself, as Markdown has it. */
export function inCode(name: unknown): string {
  const text = String(name)
  if (!text.includes('`')) return `\`${text}\``
  const fence = '`'.repeat(1 + Math.max(...Array.from(text.matchAll(/`+/g), ([run]) => run.length)))
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}
