// Reading a URL without an exception.

/** Not `URL.canParse`: on Node 20 and 22, once compiled, it takes letters such as ü for invalid. */
export function parseUrl(text: string, base?: string): URL | undefined {
  // An exception costs more than all the rest: what has no scheme is none.
  if (base === undefined && !/^\s*[a-z][a-z\d+.-]*:/i.test(text)) return undefined
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
