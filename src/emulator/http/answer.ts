// The answer to a client, and its delivery when it is due: whole, or as a fault has it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Json } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import { guidFor } from '../state/id-source.ts'
import type { Fault } from './faults.ts'
import { Refusal } from './refusal.ts'

export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export function jsonAnswer(status: number, value: Json): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

/** A refusal becomes its own answer; any other error a fault of this software, with its message for the developer. */
export function errorAnswer(error: unknown, occurrence: number): Answer {
  const [status, type] = error instanceof Refusal ? [error.status, error.type] : [500, 'InternalError']
  const description = error instanceof Error ? error.message : 'Unknown failure.'
  const answer = jsonAnswer(status, { type, description, errorGuid: guidFor('error', occurrence) })
  return status === 401 ? { ...answer, headers: { 'www-authenticate': 'Bearer' } } : answer
}

const packers = { gzip: gzipSync, br: brotliCompressSync }

interface Connection {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Gives the status that the client gets to see, null when it sees none. */
export async function deliver(
  connection: Connection,
  answer: Answer,
  compression: Behaviour['compression'],
  effect?: Fault['effect'],
): Promise<number | null> {
  const { incoming, outgoing } = connection
  if (outgoing.destroyed) return null
  if (effect?.kind === 'reset') {
    incoming.socket.resetAndDestroy()
    return null
  }
  if (effect?.kind === 'hang') {
    await new Promise<void>((resolve) => outgoing.once('close', resolve))
    return null
  }
  const isPacked = compression !== 'none' && answer.body !== ''
  const whole = isPacked ? packers[compression](answer.body) : Buffer.from(answer.body, 'utf8')
  const half = whole.subarray(0, whole.length >> 1)
  const promised = effect?.kind === 'truncate' ? half : whole
  const packing = isPacked ? { 'content-encoding': compression } : {}
  const type = answer.contentType === undefined ? {} : { 'content-type': answer.contentType }
  outgoing.writeHead(answer.status, { ...type, 'content-length': promised.length, ...packing, ...answer.headers })
  if (effect?.kind === 'cut') outgoing.write(half, () => incoming.socket.destroy())
  else outgoing.end(promised)
  return answer.status
}
