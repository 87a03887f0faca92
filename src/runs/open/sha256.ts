// The SHA-256 digest of a text in parts.
import { createHash } from 'node:crypto'

/** Small parts are put together first: each call into the hash costs more than hashing so little. */
const chunkLength = 64 * 1024

/** `sha256:` and 64 hexadecimal digits. */
export function sha256(parts: Iterable<string>): string {
  const hash = createHash('sha256')
  let pending = ''
  for (const part of parts) {
    pending += part
    if (pending.length < chunkLength) continue
    hash.update(pending)
    pending = ''
  }
  return `sha256:${hash.update(pending).digest('hex')}`
}
