// An allowance as an option that can be copied into a shell.

/** `--allow deletions=14`, `--allow 'last-owner=group/a b'`: quoted for POSIX shells where it has to be. */
export function shellOption(allow: string): string {
  return `--allow ${/^[\w@%+=:,./-]+$/.test(allow) ? allow : `'${allow.replaceAll("'", `'\\''`)}'`}`
}
