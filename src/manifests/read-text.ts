// Reads a file as strict UTF-8. What is not text is refused with the place of the first offending byte.
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import type { Problem } from '../errors/index.ts'
import { TextSource } from './text-source.ts'

/** Bytes. Far beyond what a person or a generator writes into one manifest; parsing takes about ten times as much memory. */
const maxSize = 64 * 1024 * 1024

/** The file as a source. A problem where it cannot be read, is too large, or is not UTF-8. `file`: as shown to people. */
export function readText(path: string, file: string): TextSource | Problem {
  let bytes: Buffer
  try {
    const { size } = statSync(path)
    if (size > maxSize) {
      return {
        code: 'SVC1007',
        severity: 'error',
        message: `The file has ${Math.round(size / 1024 / 1024)} MB; a manifest may have ${maxSize / 1024 / 1024}`,
        place: { file, line: 1, column: 1 },
        hint: 'Split it: any number of files may be used.',
      }
    }
    bytes = readFileSync(path)
  } catch (error) {
    return unreadable(file, error)
  }
  const encoding = otherEncoding(bytes)
  if (encoding !== undefined) return notText(file, 1, 1, `The file is ${encoding}, not UTF-8`)
  if (!isUtf8(bytes)) return invalidByte(bytes, file)
  const whole = bytes.toString('utf8')
  const source = new TextSource(file, whole.charCodeAt(0) === 0xfeff ? whole.slice(1) : whole)
  const nul = source.text.indexOf('\u0000')
  if (nul >= 0) {
    const { line, column } = source.placeAt(nul)
    return notText(file, line, column, 'There is a NUL character, which text never holds')
  }
  return source
}

export function isSource(result: TextSource | Problem): result is TextSource {
  return result instanceof TextSource
}

function unreadable(file: string, error: unknown): Problem {
  const code = (error as { readonly code?: unknown }).code
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'reading it is not permitted',
    EPERM: 'reading it is not permitted',
    EISDIR: 'it is a folder',
    ELOOP: 'its links lead in a circle',
  }
  const reason = (typeof code === 'string' ? reasons[code] : undefined) ?? `the system says ${String(code)}`
  return { code: 'SVC1001', severity: 'error', message: `\`${file}\` cannot be read: ${reason}` }
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
      // A replacement character that was written stands for itself: the first difference is the invalid byte.
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
  return {
    code: 'SVC1002',
    severity: 'error',
    message,
    place: { file, line, column },
    hint: 'Save the file as UTF-8 in your editor.',
  }
}
