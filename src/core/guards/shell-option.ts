// Options that can be copied into a shell.

/** `--allow deletions=14`, `--allow 'last-owner=group/a b'`. */
export function shellOption(allow: string): string {
  return `--allow ${shellWord(allow)}`
}

/**
 * Quoted where it has to be: in double quotes, which POSIX shells, PowerShell and cmd take, where no character means
 * something inside of them; in single quotes, which cmd does not take; and else as POSIX shells alone do.
 */
export function shellWord(text: string): string {
  if (/^(?!@)[\w@%+=:./-]+$/.test(text)) return text
  if (!/["$`\\!%\n\r]/.test(text) && text !== '') return `"${text}"`
  return text.includes("'") ? `'${text.replaceAll("'", `'\\''`)}'` : `'${text}'`
}
