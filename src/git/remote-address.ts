// Reads the address of a remote as git does: a server, or a folder of this machine.
import process from 'node:process'

/** `unclear`: git would go elsewhere than it says, or nowhere. */
type RemoteAddress = { readonly is: 'server' | 'unclear' } | { readonly is: 'folder'; readonly path: string }

const server: RemoteAddress = { is: 'server' }
const unclear: RemoteAddress = { is: 'unclear' }

export function readAddress(url: string, platform: NodeJS.Platform = process.platform): RemoteAddress {
  const isWindows = platform === 'win32'
  // Git tells several addresses one in a line.
  if (url === '' || /[\u0000-\u001f\u007f]/.test(url)) return unclear
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(url) ?? []
  if (scheme === 'file') return readFileAddress(url.slice('file://'.length), isWindows)
  if (scheme !== undefined) return server
  if (isWindows && /^[a-z]:/i.test(url)) return { is: 'folder', path: url }
  if (/^[^/]*:/.test(url)) return server
  return url.includes('://') ? unclear : { is: 'folder', path: url }
}

/** Git takes the host away, after all is decoded: what it is asked for and what people read would be two folders. */
function readFileAddress(encoded: string, isWindows: boolean): RemoteAddress {
  const rest = decode(encoded)
  if (rest === undefined) return unclear
  if (isWindows && /^\/?[a-z]:/i.test(rest)) return { is: 'folder', path: rest.replace(/^\//, '') }
  const path = rest.replace(/^localhost/, '')
  // After a host in brackets, git starts the path behind the bracket.
  return path.startsWith('/') && !path.includes('@[') ? { is: 'folder', path } : unclear
}

/** As git does: each `%` with two digits that make no NUL is a byte. Undefined: the bytes are no text. */
function decode(text: string): string | undefined {
  const bytes = Buffer.from(text).toString('latin1')
  const plain = bytes.replace(/%(?!00)([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(plain, 'latin1'))
    return /[\u0000-\u001f\u007f]/.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}
