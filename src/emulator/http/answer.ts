// What goes back to the client, before it is written to the connection.
import type { Json } from '../../core/model/json.ts'
import { SvcsyncError } from '../../errors/index.ts'
import { guidFor } from '../state/id-source.ts'
import { Refusal } from './refusal.ts'

export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const jsonType = 'application/json; charset=utf-8'

export function jsonAnswer(status: number, value: Json): Answer {
  return { status, contentType: jsonType, body: JSON.stringify(value) }
}

/** The error object: a refusal as it is, anything else as a fault of this software, with its message so that it is found. */
export function errorAnswer(error: unknown, occurrence: number): Answer {
  const [status, type] = error instanceof Refusal ? [error.status, error.type] : [500, 'InternalError']
  const description = error instanceof SvcsyncError || error instanceof Error ? error.message : 'Unknown failure.'
  const answer = jsonAnswer(status, { type, description, errorGuid: guidFor('error', occurrence) })
  return status === 401 ? { ...answer, headers: { 'www-authenticate': 'Bearer' } } : answer
}
