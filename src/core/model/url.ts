// Reading a URL without an exception.

/**
 * Undefined: `text` is no URL. In place of `URL.canParse`, which on Node 20 and 22, once compiled after some thousand calls,
 * takes letters such as ü for invalid (Node reads their bytes as UTF-8 although they are Latin-1).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  // An exception costs more than all the rest: what has no scheme is none.
  if (base === undefined && !/^\s*[a-z][a-z\d+.-]*:/i.test(text)) return undefined
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
