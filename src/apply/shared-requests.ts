// Sends steps of several objects in one request. Each step judges the outcome for itself.
import { shared } from '@svcsync/core/model/capabilities/shared.ts'
import type { Json } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort, PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import type { WriteLog } from './apply-event.ts'
import { locate, requestOf } from './step-request.ts'

interface SharingContext {
  readonly port: PlatformPort
  readonly kinds: ReadonlyMap<string, Kind>
  readonly log?: WriteLog | undefined
  selfOf(address: string): string | undefined
  seenAt(address: string): { readonly seen: Live | undefined; readonly before: string | undefined }
}

export function createSharedRequests({ port, kinds, log, selfOf, seenAt }: SharingContext) {
  const answers = new Map<string, { readonly error?: unknown; readonly steps: number }>()
  const collectionOf = ({ kind, collection = '' }: Step) => kinds.get(kind)?.collections[collection]
  const isShared = (step: Step): boolean => shared.of(collectionOf(step) ?? {}) === true

  const request = (step: Step): PlatformRequest =>
    requestOf(step, kinds.get(step.kind) as Kind, locate(step, selfOf), {
      ...seenAt(step.address),
      normalise: port.normalise,
    })
  return {
    /** Steps of one text may share requests; undefined: the step has one for itself. */
    keyOf: (step: Step): string | undefined =>
      isShared(step) ? `${step.kind} ${step.collection} ${step.verb}` : undefined,
    fitting(steps: readonly [Step, ...Step[]]): number {
      const addresses = new Set<string>()
      let room = collectionOf(steps[0])?.batch ?? 0
      for (const { address, elements = [] } of steps) {
        room -= elements.length
        // No document says what an object that is named twice gets.
        if (room < 0 || addresses.has(address)) break
        addresses.add(address)
      }
      return Math.max(1, addresses.size)
    },
    /** Never rejects: it reports an answer for each step that it sent. */
    async send(steps: readonly Step[]): Promise<void> {
      let body: PlatformRequest
      try {
        body = joined(steps.map(request))
        await Promise.all(steps.map((step) => log?.sending(step, 1)))
      } catch {
        // Nothing was sent: each step by itself meets that again, and says it.
        return
      }
      const answer = await port.send(body).then(
        () => ({ steps: steps.length }),
        (error: unknown) => ({ steps: steps.length, error }),
      )
      for (const { id } of steps) answers.set(id, answer)
    },
    answerTo: ({ id }: Step) => answers.get(id),
  }
}

/** All but the lists in their bodies is the same. */
function joined(requests: readonly PlatformRequest[]): PlatformRequest {
  const lists: Record<string, Json[]> = {}
  for (const { body } of requests)
    for (const [key, list] of Object.entries(body as Readonly<Record<string, Json[]>>))
      lists[key] = [...(lists[key] ?? []), ...list]
  return { ...(requests[0] as PlatformRequest), body: lists }
}
