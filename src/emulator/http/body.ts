// Request bodies: JSON that fits the endpoint's shape, or a refusal that says why not.
import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '../../core/model/json.ts'
import { failuresOf, type Shape, type ShapeFailure, showPath } from '../shape/shape.ts'
import { Refusal } from './refusal.ts'

const refusalTypes: Readonly<Record<ShapeFailure['cause'], Refusal['type']>> = {
  unknown: 'InvalidInput',
  missing: 'MissingRequiredBodyParameter',
  type: 'InvalidBodyParameterValue',
  value: 'InvalidBodyParameterValue',
  word: 'InvalidBodyParameterValue',
}

export function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('error', reject)
  })
}

/** Of `multipart/form-data`: the part that is called `file`. */
export function uploadedFile(body: Buffer, contentType: string | undefined): Buffer {
  const [, quoted, plain] = /^multipart\/form-data;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '') ?? []
  const boundary = `--${quoted ?? plain}`
  const head = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf(`\r\n${boundary}--`)
  if (quoted === undefined && plain === undefined)
    throw new Refusal(400, 'UnsupportedContentType', 'The body must be multipart/form-data.')
  if (head < 0 || end < head || !/;\s*name="file"/i.test(body.subarray(0, head).toString('latin1')))
    throw new Refusal(400, 'MissingRequiredBodyParameter', 'A part "file" is needed.')
  return body.subarray(head + 4, end)
}

interface GivenBody {
  readonly body: unknown
  /** Its fields that the shape does not have. */
  readonly more?: JsonObject
}

/** `takes`: what the shape does not have, and is no reason for a refusal. */
export function parseBody(
  text: string,
  contentType: string | undefined,
  shape: Shape<unknown>,
  takes: { readonly newFields: boolean; readonly newWords: boolean },
): GivenBody {
  if (text === '') throw new Refusal(400, 'MissingRequiredBodyParameter', 'A body is needed.')
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '')) {
    throw new Refusal(400, 'UnsupportedContentType', 'The body must be application/json.')
  }
  const body = parseJson(text)
  const failures = failuresOf(shape, body)
  const unknown = failures.filter(({ cause, path }) => takes.newFields && cause === 'unknown' && path.length === 1)
  const failure = failures.find((each) => !unknown.includes(each) && !(takes.newWords && each.cause === 'word'))
  if (failure !== undefined) {
    const where = showPath(failure.path) || 'the body'
    throw new Refusal(400, refusalTypes[failure.cause], `${where}: ${failure.message}.`)
  }
  if (unknown.length === 0) return { body }
  const isMore = ([key]: [string, unknown]) => unknown.some(({ path }) => path[0] === key)
  const entries = Object.entries(body as JsonObject)
  return {
    body: Object.fromEntries(entries.filter((entry) => !isMore(entry))),
    more: Object.fromEntries(entries.filter(isMore)) as JsonObject,
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'InvalidInput', 'The body is not JSON.')
  }
}
