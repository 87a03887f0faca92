// Writes an answer to the connection when it is due, or does to the connection what a fault says.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import type { FaultEffect } from './faults.ts'

interface Connection {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Gives the status that the client gets to see, null when it sees none. */
export async function deliver(connection: Connection, answer: Answer, effect?: FaultEffect): Promise<number | null> {
  const { incoming, outgoing } = connection
  if (outgoing.destroyed) return null
  const bytes = Buffer.from(answer.body, 'utf8')
  switch (effect?.kind) {
    case 'reset':
      incoming.socket.resetAndDestroy()
      return null
    case 'hang':
      await new Promise<void>((resolve) => outgoing.once('close', resolve))
      return null
    case 'cut':
      writeHead(outgoing, answer, bytes.length)
      outgoing.write(bytes.subarray(0, bytes.length >> 1), () => incoming.socket.destroy())
      return answer.status
    case 'truncate': {
      const half = bytes.subarray(0, bytes.length >> 1)
      writeHead(outgoing, answer, half.length)
      outgoing.end(half)
      return answer.status
    }
    default:
      writeHead(outgoing, answer, bytes.length)
      outgoing.end(bytes)
      return answer.status
  }
}

function writeHead(outgoing: ServerResponse, answer: Answer, length: number): void {
  const type = answer.contentType === undefined ? {} : { 'content-type': answer.contentType }
  outgoing.writeHead(answer.status, { ...type, 'content-length': length, ...answer.headers })
}
