// The text of an answer's body, unpacked when the server packed it.
import type { InputType, ZlibOptions } from 'node:zlib'

type Unpack = (packed: InputType, options: ZlibOptions, done: (error: Error | null, bytes: Buffer) => void) => void

/** An answer that is larger than this once unpacked is not one of the platform. */
const largestBytes = 512 * 1024 * 1024

/**
 * Gives the text, at once where nothing is packed; undefined for what cannot be unpacked: the same as a body that broke
 * off.
 */
export function bodyText(
  chunks: readonly Buffer[],
  encoding: string | undefined,
  give: (text: string | undefined) => void,
): void {
  const [only] = chunks
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
  if (encoding === undefined || encoding === 'identity' || bytes.length === 0) give(decode(bytes))
  else unpackedText(bytes, encoding.trim().toLowerCase()).then(give)
}

async function unpackedText(packed: Buffer, encoding: string): Promise<string | undefined> {
  const unpack = await unpackerOf(encoding)
  if (unpack === undefined) return undefined
  return new Promise((resolve) => {
    unpack(packed, { maxOutputLength: largestBytes }, (error, bytes) => resolve(error ? undefined : decode(bytes)))
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

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
