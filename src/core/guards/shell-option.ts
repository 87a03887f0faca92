// Options for a shell, quoted so that they can be copied.
/** `--allow deletions=14`, `--allow 'last-owner=group/a b'`. */
export function shellOption(allow: string): string {
  return `--allow ${shellWord(allow)}`
}

/** In double quotes where all shells take that; in single quotes, which cmd does not take; else as POSIX shells do. */
export function shellWord(text: string): string {
  if (/^(?!@)[\w@%+=:./-]+$/.test(text)) return text
  if (!/["$`\\!%\n\r]/.test(text) && text !== '') return `"${text}"`
  return text.includes("'") ? `'${text.replaceAll("'", `'\\''`)}'` : `'${text}'`
}
