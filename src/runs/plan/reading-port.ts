// Lets only reads pass, requests each answer once, and keeps it.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Json } from '@svcsync/core/model/json.ts'
import type { PlatformPort, PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import { InternalError } from '@svcsync/errors/index.ts'

/** Rejects with an InternalError for anything but a GET. */
export function readingPort(
  port: PlatformPort,
  onAnswer: (request: PlatformRequest, answer: Json | undefined) => void,
): PlatformPort {
  const asked = new Map<string, Promise<Json | undefined>>()
  return {
    apiVersion: port.apiVersion,
    normalise: port.normalise,
    timeZone: port.timeZone,
    onUnknownKey: port.onUnknownKey,
    authorise: (needs) => port.authorise(needs),
    send(request) {
      const { method, path, query } = request
      if (method !== 'GET')
        return Promise.reject(new InternalError(`A run that only reads would have sent ${method} ${path}`))
      return getOrInsert(asked, JSON.stringify([path, query ?? null]), async () => {
        const answer = await port.send(request)
        onAnswer(request, answer)
        return answer
      })
    },
  }
}
