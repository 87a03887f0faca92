/** Where something stands in a file that a person wrote. */
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
