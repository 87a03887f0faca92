// The way to the platform for a run that must not write: only reads pass, each answer is asked for once, and is noted.
import type { Json } from '../../core/model/json.ts'
import type { PlatformPort, PlatformRequest } from '../../core/model/platform-port.ts'
import { InternalError } from '../../errors/index.ts'

type OnAnswer = (request: PlatformRequest, answer: Json | undefined) => void

/** Rejects with an InternalError for anything but a GET. */
export function readingPort(port: PlatformPort, onAnswer: OnAnswer): PlatformPort {
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
      const key = JSON.stringify([path, query ?? null])
      const before = asked.get(key)
      if (before !== undefined) return before
      const answer = port.send(request).then((value) => {
        onAnswer(request, value)
        return value
      })
      asked.set(key, answer)
      return answer
    },
  }
}
