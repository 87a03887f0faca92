// Certificates made when a test runs, so that no key is ever committed: an authority, and servers that it vouches for.
// Node reads X.509 and cannot write it; what is needed of DER is written out below.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Issued {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM: what has to be trusted. */
  readonly cert: string
  /** `names`: DNS names and IPv4 addresses. */
  issue(names: readonly string[], options?: { readonly expired?: boolean }): Issued
}

export function createAuthority(name: string): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = certificate({
    subject: name,
    issuer: name,
    publicKey,
    signedBy: privateKey,
    extensions: [extension('551d13', sequence(boolean(true)), true), extension('551d0f', bits([0x06], 1), true)],
  })
  return {
    cert: pem(own),
    issue(names, { expired = false } = {}) {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const alternatives = names.map((each) => {
        const isAddress = /^\d+(?:\.\d+){3}$/.test(each)
        return isAddress ? tagged(0x87, Buffer.from(each.split('.').map(Number))) : tagged(0x82, Buffer.from(each))
      })
      const cert = certificate({
        subject: names[0] ?? '',
        issuer: name,
        publicKey: keys.publicKey,
        signedBy: privateKey,
        expired,
        extensions: [extension('551d13', sequence()), extension('551d11', sequence(...alternatives))],
      })
      return { cert: pem(cert), key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

interface Contents {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signedBy: KeyObject
  readonly extensions: readonly Buffer[]
  readonly expired?: boolean
}

function certificate({ subject, issuer, publicKey, signedBy, extensions, expired = false }: Contents): Buffer {
  const algorithm = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const dayMs = 86_400_000
  const [from, until] = expired ? [-3 * dayMs, -2 * dayMs] : [-dayMs, dayMs]
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    named(issuer),
    sequence(moment(Date.now() + from), moment(Date.now() + until)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  return sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signedBy)])))
}

function named(commonName: string): Buffer {
  const value = tagged(0x0c, Buffer.from(commonName))
  return sequence(tagged(0x31, sequence(tagged(0x06, Buffer.from('550403', 'hex')), value)))
}

function moment(ms: number): Buffer {
  return tagged(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(tagged(0x06, Buffer.from(id, 'hex')), ...(critical ? [boolean(true)] : []), tagged(0x04, value))
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]))
}

function bits(bytes: readonly number[], unused: number): Buffer {
  return tagged(0x03, Buffer.from([unused, ...bytes]))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** Tag, length, contents. */
function tagged(tag: number, contents: Buffer): Buffer {
  const { length } = contents
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), contents])
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
