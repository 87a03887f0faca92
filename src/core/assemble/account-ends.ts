// Accounts that end: when, what ends with them, and what must not outlive them.
import { inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import { standIn } from '../model/capabilities/stand-in.ts'
import { type Declaration, declaredTwice, identityOf, placeIn } from '../model/declaration.ts'
import type { AccountEnd, AssemblySettings, Desired } from '../model/desired.ts'
import { accountsNamed } from '../model/identity.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import {
  boundMs,
  countsNow,
  isoMoment,
  readBound,
  shownBound,
  type TimeBounds,
  unbounded,
} from '../model/time-bounds.ts'
import type { AssemblyRun } from './flatten-sets.ts'

/** Reads all declarations: some commands assemble only a part of them. */
export function accountEnds(
  declarations: readonly Declaration[],
  { normalise, overrides, time }: Pick<AssemblySettings, 'normalise' | 'overrides' | 'time'>,
): AssemblySettings['ends'] {
  const ends = new Map<string, AccountEnd>()
  for (const declaration of declarations) {
    const { kind, section, item, source } = declaration
    if (kind.provides !== 'user' || section.partial || item.until === undefined) continue
    const key = normalise(identityOf(declaration))
    const end = accountEnd(identityOf(declaration), String(item.until), placeIn(declaration, ['until']), time)
    // An override replaces the end in another file.
    if (end !== undefined && (!ends.has(key) || overrides?.has(source.file) === true)) ends.set(key, end)
  }
  return ends
}

/** Undefined: the text is no bound, which is a problem where the account is put together. */
export function accountEnd(
  svcId: string,
  until: string,
  place: Place,
  { timeZone }: AssemblySettings['time'],
): AccountEnd | undefined {
  const untilMs = boundMs(until, true, timeZone)
  if (untilMs === undefined) return undefined
  const bounds = { ...unbounded, untilMs, untilText: until }
  return { svcId, until, bounds, at: isoMoment(untilMs), shown: shownBound(until, timeZone), place }
}

type EndingObject = Pick<Desired, 'kind' | 'address' | 'at' | 'key' | 'spec' | 'fieldKeys' | 'absent' | 'overByMs'> & {
  readonly declarations: Desired['declarations']
}

/** The end of an object with its account; of a substitution with either person. Undefined: it does not end. */
export function endOf(object: EndingObject, run: AssemblyRun): Desired['end'] {
  const { kind, key, declarations, overByMs } = object
  const { ends, time } = run
  if (kind.provides === 'user') {
    checkEnds(object, run)
    const end = ends.get(key)
    return end && { ...end, isOver: !countsNow(end.bounds, time) }
  }
  if (ends.size === 0 || overByMs !== undefined || standIn.of(kind) === undefined) return undefined
  // As long as both accounts are there, it has its own end.
  const over = accountsNamed(declarations[0].section, object)
    .flatMap((named) => ends.get(named.key) ?? [])
    .filter(({ bounds }) => !countsNow(bounds, time))
    .sort((a, b) => a.bounds.untilMs - b.bounds.untilMs)
  return over[0] && { ...over[0], isOver: true }
}

function checkEnds(
  { declarations, address, at, absent }: EndingObject,
  { time, overrides, problems }: AssemblyRun,
): void {
  const written = declarations.filter(({ item }) => item.until !== undefined)
  for (const declaration of written) {
    const text = String(declaration.item.until)
    const place = placeIn(declaration, ['until'])
    const untilMs = readBound('until', text, place, time, problems)
    const [first] = written
    if (first !== undefined && first !== declaration && !overrides?.has(declaration.source.file)) {
      const message = `\`until\` of the account ${inCode(at.name)} is declared twice`
      problems.push(declaredTwice(message, place, placeIn(first, ['until']), 'keep one of the two.'))
    }
    if (untilMs === undefined || absent || untilMs > time.nowMs || time.appliedMs !== undefined) continue
    problems.push({
      code: 'SVC1309',
      severity: 'warning',
      address,
      message: `The account ${inCode(at.name)} ended with ${shownBound(text, time.timeZone)}`,
      place,
      hint: 'svcsync treats it as absent. Remove it with `svcsync leave` once an apply has deleted it.',
    })
  }
}

export function holderBounds(
  { kind, key, declarations }: Pick<Desired, 'kind' | 'key' | 'declarations'>,
  { ends }: Pick<AssemblyRun, 'ends'>,
): TimeBounds {
  if (ends.size === 0 || kind.provides !== undefined) return unbounded
  if (fieldsOf(declarations[0].section).holder === undefined) return unbounded
  return ends.get(key)?.bounds ?? unbounded
}

/** Objects that name an account which ends before they do, such as that of a manager. */
export function findOutlived(desired: readonly Desired[], { ends }: Pick<AssemblyRun, 'ends'>): Problem[] {
  if (ends.size === 0) return []
  return desired.flatMap((object): Problem[] => {
    const { kind, declarations, absent, end, address } = object
    // An object that ended with an account is absent for that reason.
    if ((absent && end === undefined) || standIn.of(kind) !== undefined) return []
    return accountsNamed(declarations[0].section, object).flatMap(({ field, svcId, key }): Problem[] => {
      const other = ends.get(key)
      if (other === undefined || (end !== undefined && end.bounds.untilMs <= other.bounds.untilMs)) return []
      const holder = declarations.find(({ item }) => item[field] !== undefined) as Declaration
      return [
        {
          code: 'SVC1341',
          severity: 'error',
          address,
          message: `${inCode(svcId)} ends with ${other.shown}, but is \`${field}\` here without an end`,
          place: placeIn(holder, [field]),
          hint:
            'Write somebody who stays, or an `until` that is no later. ' +
            'To end only entries of lists, write `until` beside each.',
          related: [{ message: 'ends here', place: other.place }],
        },
      ]
    })
  })
}
