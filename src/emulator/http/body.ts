// Request bodies: JSON that fits the endpoint's shape, or a refusal that says why not.
import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { failuresOf, type Shape, type ShapeFailure, showPath } from '../shape/shape.ts'
import { Refusal } from './refusal.ts'

/** The kind of error that a body gets which does not fit. */
export function refusalOf({ cause, path, message }: ShapeFailure): Refusal {
  const types = { unknown: 'InvalidInput', missing: 'MissingRequiredBodyParameter' } as const
  const type = cause === 'unknown' || cause === 'missing' ? types[cause] : 'InvalidBodyParameterValue'
  return new Refusal(type, `${showPath(path) || 'the body'}: ${message}.`)
}

export function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('error', reject)
  })
}

/** The part of `multipart/form-data` that is called `file`. */
export function uploadedFile(body: Buffer, contentType: string | undefined): Buffer {
  const [, quoted, plain] = /^multipart\/form-data;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '') ?? []
  const boundary = `--${quoted ?? plain}`
  const head = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf(`\r\n${boundary}--`)
  if (quoted === undefined && plain === undefined)
    throw new Refusal('UnsupportedContentType', 'The body must be multipart/form-data.')
  if (head < 0 || end < head || !/;\s*name="file"/i.test(body.subarray(0, head).toString('latin1')))
    throw new Refusal('MissingRequiredBodyParameter', 'A part "file" is needed.')
  return body.subarray(head + 4, end)
}

/** The body, and its fields that the shape does not have. `takes`: what of those is no reason for a refusal. */
export function parseBody(
  text: string,
  contentType: string | undefined,
  shape: Shape<unknown>,
  takes: { readonly newFields: boolean; readonly newWords: boolean },
): { readonly body: unknown; readonly more?: JsonObject } {
  if (text === '') throw new Refusal('MissingRequiredBodyParameter', 'A body is needed.')
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? ''))
    throw new Refusal('UnsupportedContentType', 'The body must be application/json.')
  const body = parseJson(text)
  const failures = failuresOf(shape, body)
  const unknown = failures.filter(({ cause, path }) => takes.newFields && cause === 'unknown' && path.length === 1)
  const failure = failures.find((each) => !unknown.includes(each) && !(takes.newWords && each.cause === 'word'))
  if (failure !== undefined) throw refusalOf(failure)
  if (unknown.length === 0) return { body }
  const isMore = ([key]: [string, unknown]) => unknown.some(({ path }) => path[0] === key)
  const entries = Object.entries(body as JsonObject)
  return {
    body: Object.fromEntries(entries.filter((entry) => !isMore(entry))),
    more: Object.fromEntries(entries.filter(isMore)),
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('InvalidInput', 'The body is not JSON.')
  }
}
