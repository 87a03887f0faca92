// Reads a file that the user named, up to a size, but no device or pipe. Every such read goes through here.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

interface UnreadFile {
  /** The system's own, `EFBIG` where it is too large, `ENOTFILE` for pipes and devices. */
  readonly code: string
  /** Goes on from "cannot be read:". */
  readonly reason: string
  readonly cause?: unknown
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENOTFILE: 'it is a pipe or a device',
  // The system reports it for a socket.
  ENXIO: 'it is a pipe or a device',
}

/** In MB, for saved plans, journals and tenants: files about a hundred thousand objects take less than half of it. */
export const largestDocument = 256

/** A pipe or a device might never end, or never begin; what is too large would take all memory when it is parsed. */
export function readBounded(path: string, mostMegabytes: number): Buffer | UnreadFile {
  let file: number | undefined
  try {
    // Opening a pipe would wait for whoever writes into it.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (!stats.isFile()) return unread(stats.isDirectory() ? 'EISDIR' : 'ENOTFILE')
    const megabytes = Math.ceil(stats.size / 1024 / 1024)
    if (megabytes > mostMegabytes) {
      return { code: 'EFBIG', reason: `it has ${megabytes} MB, and may have ${mostMegabytes}` }
    }
    return readFileSync(file)
  } catch (cause) {
    return unread(String((cause as { readonly code?: unknown }).code), cause)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Text in UTF-8, what is no such text replaced. */
export function readBoundedText(path: string, mostMegabytes: number): string | UnreadFile {
  const read = readBounded(path, mostMegabytes)
  return isUnread(read) ? read : read.toString()
}

export function isUnread(read: Buffer | string | UnreadFile): read is UnreadFile {
  return typeof read !== 'string' && 'reason' in read
}

function unread(code: string, cause?: unknown): UnreadFile {
  return { code, reason: reasons[code] ?? `the system says ${code}`, cause }
}
