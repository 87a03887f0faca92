// Chooses, of the access that `drift --access` shows, what is accepted for a time.
import { endingOf } from '@svcsync/core/access/accepted-access.ts'
import type { accessDriftOf } from '@svcsync/core/access/access-drift.ts'
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { addressMatcher } from '@svcsync/core/model/address.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { formatCount, inCode, OperatorError } from '@svcsync/errors/index.ts'
import type { ReadProject } from '../open/open-project.ts'

interface Acceptance {
  readonly person?: string | undefined
  readonly level?: string | undefined
  readonly object?: string | undefined
  readonly company?: string | undefined
}

type Opened = Pick<ReadProject, 'project' | 'assembly'>

/** Throws an OperatorError for an end that is none, or over. */
export function checkUntil(until: string, { project, assembly }: Opened): void {
  const untilMs = boundMs(until, true, project.settings.timeZone)
  if (untilMs !== undefined && untilMs > assembly.time.nowMs) return
  throw new OperatorError(
    'SVC2283',
    untilMs === undefined
      ? `\`--until ${until}\` is neither a date nor a moment with its offset`
      : `\`--until ${until}\` is over: nothing would be accepted`,
    { hint: 'Write a day to come, like `2027-03-31`, or a moment like `2027-03-31T18:00:00+01:00`.' },
  )
}

/** The chosen part of the drift. Throws an OperatorError if it is empty. */
export function chooseUndeclared(
  { judged }: Pick<ReturnType<typeof accessDriftOf>, 'judged'>,
  wanted: Acceptance,
  { project, assembly: { normalise } }: Opened,
): AccessEntry[] {
  const { person, level, object, company } = wanted
  // A level that the platform does not tell cannot be accepted.
  const all = judged.open.filter((each) => each.level !== null)
  const isObject = object === undefined ? () => true : addressMatcher(object, project.kinds)
  const chosen = all.filter(
    (each) =>
      (person === undefined || normalise(String(each.subject)) === normalise(person)) &&
      (level === undefined || each.level === level) &&
      (company === undefined || each.company === company) &&
      isObject(each.address),
  )
  if (chosen.length > 0) return chosen
  const near =
    (person !== undefined && suggestion(person, new Set(all.flatMap(({ subject }) => subject ?? [])))) ||
    (object !== undefined && suggestion(object, new Set(all.map(({ address }) => address))))
  throw new OperatorError('SVC2294', 'There is nothing to accept: svcsync found no such undeclared access', {
    hint:
      all.length === 0
        ? 'Access that is declared or accepted needs no exception.'
        : near || '`svcsync drift --access` lists undeclared access.',
  })
}

/** Throws an OperatorError if the next apply ends access through a group: an exception of access keeps nobody there. */
export function refuseEnding(
  chosen: readonly AccessEntry[],
  changes: readonly Change[],
  { until, reason }: { readonly until: string; readonly reason: string },
  { assembly }: Opened,
): void {
  const ending = endingOf(chosen, changes, assembly.normalise)
  if (ending.size === 0) return
  const addresses = [...new Set(ending.values())].sort()
  const named = addresses.slice(0, 5)
  const only = named.length < addresses.length ? '' : named.map((each) => ` --only ${shellWord(each)}`).join('')
  throw new OperatorError(
    'SVC2294',
    `The next apply ends ${formatCount(ending.size, 'chosen level')} through groups: ` +
      `it removes undeclared entries of ${named.map(inCode).join(', ')}`,
    { hint: `Except the entries: svcsync accept${only} --until ${until} --reason ${shellWord(reason)}` },
  )
}
