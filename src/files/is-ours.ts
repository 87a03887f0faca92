// Whether a file or folder was made by this account, and for nobody else: what came with a checkout is not, and could say anything.
import type { Stats } from 'node:fs'
import process from 'node:process'

export function isOurs({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
}
