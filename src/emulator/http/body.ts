// Request bodies: JSON that fits the endpoint's shape, or a refusal that says why not.
import type { IncomingMessage } from 'node:http'
import { failuresOf, type Shape, type ShapeFailure, showPath } from '../shape/shape.ts'
import { Refusal, type RefusalType } from './refusal.ts'

const refusalTypes: Readonly<Record<ShapeFailure['cause'], RefusalType>> = {
  unknown: 'InvalidInput',
  missing: 'MissingRequiredBodyParameter',
  type: 'InvalidBodyParameterValue',
  value: 'InvalidBodyParameterValue',
}

export function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    incoming.on('error', reject)
  })
}

export function parseBody(text: string, contentType: string | undefined, shape: Shape<unknown>): unknown {
  if (text === '') throw new Refusal(400, 'MissingRequiredBodyParameter', 'A body is needed.')
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '')) {
    throw new Refusal(400, 'UnsupportedContentType', 'The body must be application/json.')
  }
  const body = parseJson(text)
  const [failure] = failuresOf(shape, body)
  if (failure !== undefined) {
    const where = showPath(failure.path) || 'the body'
    throw new Refusal(400, refusalTypes[failure.cause], `${where}: ${failure.message}.`)
  }
  return body
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'InvalidInput', 'The body is not JSON.')
  }
}
