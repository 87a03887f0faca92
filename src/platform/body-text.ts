// The text of an answer's body, unpacked when the server packed it, and no larger than it may be.
import { isUtf8 } from 'node:buffer'
import type { InputType, ZlibOptions } from 'node:zlib'

/** Why the status of an answer is known, and its body is not: it broke off, is larger than may be, or no UTF-8. */
type Flaw = 'broken' | 'too-large' | 'not-utf8'

export interface BodyText {
  readonly bytes: Buffer
  readonly text: string
  readonly flaw: Flaw | undefined
}

type Unpack = (packed: InputType, options: ZlibOptions, done: (error: Error | null, bytes: Buffer) => void) => void

/** Gives the text, at once where nothing is packed. What cannot be unpacked is the same as a body that broke off. */
export function bodyText(
  chunks: readonly Buffer[],
  encoding: string | undefined,
  maxBytes: number,
  give: (body: BodyText) => void,
): void {
  const [only] = chunks
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
  if (encoding === undefined || bytes.length === 0) give(decoded(bytes))
  else unpacked(bytes, encoding.trim().toLowerCase(), maxBytes).then(give)
}

export function flawed(flaw: Flaw): BodyText {
  return { bytes: Buffer.alloc(0), text: '', flaw }
}

async function unpacked(packed: Buffer, encoding: string, maxBytes: number): Promise<BodyText> {
  const unpack = await unpackerOf(encoding)
  if (unpack === undefined) return flawed('broken')
  return new Promise((resolve) => {
    // A small answer may unpack to any size: it is stopped on the way.
    unpack(packed, { maxOutputLength: maxBytes }, (error, bytes) => {
      const isTooLarge = (error as NodeJS.ErrnoException | null)?.code === 'ERR_BUFFER_TOO_LARGE'
      resolve(error === null ? decoded(bytes) : flawed(isTooLarge ? 'too-large' : 'broken'))
    })
  })
}

async function unpackerOf(encoding: string): Promise<Unpack | undefined> {
  const zlib = await import('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzip
    case 'deflate':
      return zlib.inflate
    case 'br':
      return zlib.brotliDecompress
    default:
      return undefined
  }
}

/** The text also of what is no UTF-8: errors are shown, and nothing else of it is believed. */
function decoded(bytes: Buffer): BodyText {
  const text = bytes.toString('utf8')
  return {
    bytes,
    text: text.charCodeAt(0) === 0xfeff ? text.slice(1) : text,
    flaw: isUtf8(bytes) ? undefined : 'not-utf8',
  }
}
