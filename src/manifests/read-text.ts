// Reads a file as strict UTF-8. Other bytes are refused with the place of the first one.
import { isUtf8 } from 'node:buffer'
import { errorAt, type Problem } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { isUnread, type readBounded } from '@svcsync/files/read-bounded.ts'
import { TextSource } from './text-source.ts'

/** In MB. Far beyond what anybody writes into one manifest; parsing takes about ten times as much memory. */
const maxSize = 64

/** Guessed from above by the signs that separate values: the parser keeps up to two hundred bytes for each. */
const maxSeparators = 6_000_000

/** The file as a source. A problem: it is unreadable, too large, or not UTF-8. `file`: as shown to people. */
export function readText(path: string, file: string, tree: FileTree = disk): TextSource | Problem {
  const bytes = tree.read(path, maxSize)
  if (isUnread(bytes)) return unreadable(file, bytes)
  if (hasTooManySeparators(bytes)) {
    return tooLarge(file, `The file holds more than ${maxSeparators / 1_000_000} million values`)
  }
  const encoding = otherEncoding(bytes)
  if (encoding !== undefined) return notText(file, 1, 1, `The file is ${encoding}, not UTF-8`)
  if (!isUtf8(bytes)) return invalidByte(bytes, file)
  const whole = bytes.toString()
  const source = new TextSource(file, whole.charCodeAt(0) === 0xfeff ? whole.slice(1) : whole)
  const nul = source.text.indexOf('\u0000')
  if (nul >= 0) {
    const { line, column } = source.placeAt(nul)
    return notText(file, line, column, 'The file contains a NUL character')
  }
  return source
}

export function isSource(result: TextSource | Problem): result is TextSource {
  return result instanceof TextSource
}

function tooLarge(file: string, message: string): Problem {
  return errorAt('SVC1007', message, { file, line: 1, column: 1 }, 'Split it: any number of files may be used.')
}

/** 0 for bytes that may begin a value: line breaks, `,`, `-`, `:`, `?`, `[`, `{`. 1 for all others. */
const fills = new Uint8Array(256).fill(1)
for (const char of '\n\r,-:?[{') fills[char.charCodeAt(0)] = 0

/** Counts the other bytes: that many of them cannot be separators, whatever the rest of the file is. */
function hasTooManySeparators(bytes: Buffer): boolean {
  let wanted = bytes.length - maxSeparators
  // By index: an iterator takes several times as long.
  for (let index = 0; wanted > 0 && index < bytes.length; index++) wanted -= fills[bytes[index] as number] as number
  return wanted > 0
}

function unreadable(file: string, { code, reason }: Exclude<ReturnType<typeof readBounded>, Buffer>): Problem {
  if (code === 'EFBIG') return tooLarge(file, `\`${file}\` cannot be read: ${reason}`)
  // The substitute for an invalid byte: the system finds no file by that name.
  const hint =
    code === 'ENOENT' && file.includes('\ufffd')
      ? 'Its name is no UTF-8: rename the file.'
      : code === 'ENOENT' || code === 'ELOOP'
        ? 'Create the file, or correct the name that leads to it.'
        : code === 'EACCES' || code === 'EPERM'
          ? 'Give the account that runs svcsync the right to read it.'
          : 'Replace it with a file.'
  return errorAt('SVC1001', `\`${file}\` cannot be read: ${reason}`, { file, line: 1, column: 1 }, hint)
}

function otherEncoding(bytes: Buffer): string | undefined {
  if (bytes.length < 2) return undefined
  const [first, second] = bytes
  if (bytes.length >= 4 && first === 0 && second === 0) return 'UTF-32'
  if (first === 0xff && second === 0xfe) return bytes[2] === 0 && bytes[3] === 0 ? 'UTF-32' : 'UTF-16'
  if ((first === 0xfe && second === 0xff) || first === 0 || (first !== 0 && second === 0)) return 'UTF-16'
  return undefined
}

function invalidByte(bytes: Buffer, file: string): Problem {
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    const part = bytes.subarray(start, end < 0 ? bytes.length : end)
    if (!isUtf8(part)) {
      // A written replacement character is valid, so the first difference is the invalid byte.
      const decoded = part.toString('utf8')
      const back = Buffer.from(decoded, 'utf8')
      let same = 0
      while (same < part.length && part[same] === back[same]) same++
      const column = part.subarray(0, same).toString('utf8').length + 1
      const byte = (part[same] ?? 0).toString(16).padStart(2, '0').toUpperCase()
      return notText(file, line, column, `The byte 0x${byte} is not UTF-8`)
    }
    if (end < 0) break
    start = end + 1
  }
  return notText(file, 1, 1, 'The file is not UTF-8')
}

function notText(file: string, line: number, column: number, message: string): Problem {
  return errorAt('SVC1002', message, { file, line, column }, 'Save the file as UTF-8 in your editor.')
}
