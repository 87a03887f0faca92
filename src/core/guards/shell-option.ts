// Options that can be copied into a shell.

/** `--allow deletions=14`, `--allow 'last-owner=group/a b'`. */
export function shellOption(allow: string): string {
  return `--allow ${shellWord(allow)}`
}

/** Quoted for POSIX shells where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
