// Holds a report against the platform's own log: what is said to be done was done, once, and what is not was not.

import { isDeepStrictEqual } from 'node:util'
import { shared } from '../../src/core/model/capabilities/shared.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { PlatformRequest } from '../../src/core/model/platform-port.ts'
import { revealSecrets } from '../../src/core/model/sensitive.ts'
import type { Step } from '../../src/core/model/step.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { kinds } from '../../src/kinds/index.ts'
import { undescribedInReport } from './plan-schema.ts'
import type { LoggedWrite } from './write-log.ts'

/** Sentences that are empty when the report tells the truth about these steps, in the published form. */
export function untruths(report: ApplyReport, steps: readonly Step[], writes: readonly LoggedWrite[]): string[] {
  const found = undescribedInReport(report).map((error) => `not as its schema says: ${JSON.stringify(error)}`)
  for (const { id, outcome, reason, attempts } of report.steps) {
    const step = steps.find((candidate) => candidate.id === id) as Step
    const sent = writes.filter((write) => isWriteOf(write, step))
    const times = sent.filter(({ carriedOut }) => carriedOut).length
    const complain = (what: string) =>
      found.push(`${outcome}: ${step.verb} ${step.collection ?? ''} ${step.address}: ${what} (${reason ?? ''})`)
    // An object under deletion may still be shown until the platform has synchronised it: after a lost answer svcsync
    // sends the deletion again, and a second one deletes nothing twice.
    const isOnce = step.verb === 'delete' ? times >= 1 : times === 1
    if (outcome === 'done' && !isOnce) complain(`carried out ${times} times`)
    if (outcome === 'unchanged' && times > 0) complain(`carried out ${times} times`)
    if (outcome === 'failed' && times > 0 && !/^it (?:was written|exists)/.test(reason ?? ''))
      complain('was carried out')
    if (outcome === 'skipped' && (sent.length > 0 || attempts > 0)) complain('was sent')
  }
  return found
}

/** True if the logged write is the one of the step. */
export function isWriteOf(write: LoggedWrite, step: Step): boolean {
  const { method, path, pathIn50, query = {}, body } = requestOf(step)
  const isPath = write.path === path || write.path === pathIn50
  if (write.method !== method || !isPath || !isDeepStrictEqual({ ...write.query }, { ...query })) return false
  const identity = (value: unknown): unknown => {
    const object = value as { readonly svcId?: string; readonly name?: string }
    return object.svcId ?? object.name ?? JSON.stringify(value)
  }
  if (step.verb === 'create') return identity(write.body) === identity(body)
  if (shared.of(kinds.find(({ name }) => name === step.kind)?.collections?.[step.collection ?? ''] ?? {})) {
    // Among others: its own items are in the lists.
    return Object.entries(masked(body as Json) as Record<string, readonly unknown[]>).every(([key, items]) => {
      const sent = (write.body as Record<string, readonly unknown[]> | null)?.[key] ?? []
      return items.every((item) => sent.some((each) => isDeepStrictEqual(each, item)))
    })
  }
  return isDeepStrictEqual(write.body, body === undefined ? null : masked(body))
}

function requestOf(step: Step): PlatformRequest {
  const kind = kinds.find(({ name }) => name === step.kind)
  const self = step.at.self ?? (kind?.scope === 'installation' ? step.at.name : undefined)
  const at = { ...step.at, ...(self !== undefined && { self }) }
  const { requests, collections = {} } = kind ?? {}
  const elements = step.elements ?? []
  // A connection's own settings have theirs inside.
  const { extra = {}, ...spec } = step.spec ?? {}
  const withExtra = (request: PlatformRequest | undefined) =>
    ({ ...request, body: { ...(extra as JsonObject), ...(request?.body as JsonObject) } }) as PlatformRequest
  switch (step.verb) {
    case 'create':
      return withExtra(requests?.create?.(at, spec, step.collections ?? {}))
    case 'update':
      return withExtra(requests?.update?.(at, spec, step.collections ?? {}))
    case 'delete':
      return requests?.remove?.(at) as PlatformRequest
    default:
      return collections[step.collection ?? '']?.[step.verb]?.(at, elements) as PlatformRequest
  }
}

const secretKeys = /^(?:password|clientSecret|user|clientId|applicationId)$/i

/** The body as the log shows it. */
function masked(body: Json): unknown {
  const text = JSON.stringify(revealSecrets(body), (key, value) =>
    secretKeys.test(key) && typeof value === 'string' ? '***' : value,
  )
  return JSON.parse(text)
}

/** Writes that arrived before all that their step depends on was carried out and answered. */
export function tooEarly(
  { steps: reports }: Pick<ApplyReport, 'steps'>,
  steps: readonly Step[],
  writes: readonly LoggedWrite[],
): string[] {
  const unchanged = new Set(reports.filter(({ outcome }) => outcome === 'unchanged').map(({ id }) => id))
  const sent = new Map(steps.map((step) => [step.id, writes.filter((write) => isWriteOf(write, step))]))
  return steps.flatMap((step) => {
    const start = sent.get(step.id)?.[0]
    if (start === undefined) return []
    return step.dependsOn
      .filter((id) => !unchanged.has(id))
      .filter((id) => !sent.get(id)?.some((each) => each.carriedOut && each.answeredAfter < start.number))
      .map((id) => `step ${step.id} (${step.verb} ${step.address}) was sent before step ${id} was done`)
  })
}
