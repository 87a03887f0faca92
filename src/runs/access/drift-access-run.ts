// A run that says what people can do on the platform that no manifest declares and nobody accepted.
import { accessDriftOf } from '@svcsync/core/access/access-drift.ts'
import { type GlobalPrivileges, outsideOf } from '@svcsync/core/access/outside.ts'
import { type Change, keyOf } from '@svcsync/core/compare/change.ts'
import { byAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { type AccessException, accessExceptions, isAccessException } from '@svcsync/core/model/exception.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { AuthorError, compareProblems, type Problem } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { createRoomCheck } from '@svcsync/platform/memory-budget.ts'
import { type ReadProject, scopeOf } from '../open/open-project.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { readUndeclared } from '../plan/read-undeclared.ts'

/**
 * `requests`: beside those of the plan; `looked`: kinds of which all was read. `first`: so many findings of each sort
 * are listed; absent: all. Throws for idle exceptions.
 */
export async function driftAccessRun(
  opened: Pick<ReadProject, 'project' | 'assembly' | 'exceptions'>,
  client: PlatformClient,
  { plan, base, reads }: Pick<PlanRun, 'plan' | 'base' | 'reads'>,
  global: GlobalPrivileges | undefined,
  onProgress?: (objects: number) => void,
  first?: number,
) {
  const before = client.stats().requests
  const { changes, leftOut, looked, unlooked } = await readUndeclared(client, opened, { ...plan, reads }, onProgress)
  const { kinds } = opened.project
  const isWithin = selectionOf(scopeOf(opened.project), kinds)
  const unread = [...plan.unreadable, ...leftOut]
    .filter(({ address }) => isWithin(address))
    .map(({ address, reason }) => ({ address, reason }))
    .sort(byAddress)
  const { nowMs } = opened.assembly.time
  const exceptions = accessExceptions(opened.exceptions.exceptions)
  const { normalise } = client
  const found = accessDriftOf(changes, {
    ...{ exceptions, hasBase: base !== undefined, nowMs, normalise, isWithin },
    checkRoom: createRoomCheck(
      'The undeclared access',
      'Take `svcsync access list --format csv`, whose rows say what is declared',
    ),
    first,
  })
  // An unknown name may belong to an unread part.
  const strangers = unread.length > 0 ? [] : unknownIn(exceptions, found, changes, normalise)
  if (strangers.length > 0) throw new AuthorError(strangers)
  const known = new Set([...found.graph.numbers.keys(), ...changes.map(keyOf)])
  // The plan counts own entries that exceptions leave alone as declared.
  const left = plan.exceptions?.left.flatMap(({ by }) => (isAccessException(by) ? by : [])) ?? []
  const isLeft = ({ person, level, object }: AccessException): boolean =>
    left.some((by) => by.object === object && by.level === level && normalise(by.person) === normalise(person))
  const judged = { ...found.judged, idle: found.judged.idle.filter((each) => !isLeft(each)) }
  const outside = outsideOf(global, kinds, (svcId) => known.has(normalise(svcId)))
  return {
    ...found,
    judged,
    changes,
    unread,
    looked,
    ...(unlooked && { unlooked }),
    outside,
    requests: client.stats().requests - before,
  }
}

function unknownIn(
  exceptions: readonly AccessException[],
  { graph }: ReturnType<typeof accessDriftOf>,
  changes: readonly Change[],
  normalise: PlatformClient['normalise'],
): Problem[] {
  const addresses = new Set(changes.map(({ address }) => address))
  const accounts = new Set([...graph.numbers.keys(), ...changes.map(keyOf)])
  const unknown = (
    { placeOf }: AccessException,
    key: 'person' | 'object',
    name: string,
    near: string | undefined,
  ): Problem => ({
    code: 'SVC1332',
    severity: 'error',
    message:
      key === 'person'
        ? `No manifest and no list of the platform names \`${name}\``
        : `No object has the address \`${name}\``,
    place: placeOf(key),
    hint: near ?? 'Remove the exception if that is gone; otherwise correct it.',
  })
  return exceptions
    .flatMap((each) => [
      ...(accounts.has(normalise(each.person))
        ? []
        : [unknown(each, 'person', each.person, suggestion(each.person, graph.svcIds))]),
      ...(addresses.has(each.object) ? [] : [unknown(each, 'object', each.object, suggestion(each.object, addresses))]),
    ])
    .sort(compareProblems)
}
