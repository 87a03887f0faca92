// `svcsync access grant` and `access revoke`: the smallest edit of the manifests that gives or ends a level.

import type { WantedRight } from '@svcsync/core/access/find-edits.ts'
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import type { AccessRow } from '@svcsync/core/plan/access-report.ts'
import { byCount, inCode, OperatorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { levelsOf } from '@svcsync/project/exceptions.ts'
import { accessChangeText, describeEdit, formatRight } from '@svcsync/render/report/access-change.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { accessChanges, companyOf, limitsOf } from '@svcsync/runs/access/change-access-run.ts'
import { editAccepted } from '@svcsync/runs/edit/accept-run.ts'
import { readEdited } from '@svcsync/runs/edit/open-for-edit.ts'
import { standingAccessNeeds } from '@svcsync/runs/open/standing-entries.ts'
import { withPolicies } from '@svcsync/runs/open/with-policies.ts'
import { withPlan } from '../../planning/open-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { othersNote } from '../people/accept.ts'
import { finishEdit, openEdit } from '../people/edit-for-command.ts'
import type { AccessOptions } from '../review.ts'
import { accessMisuse, readAll, refuseGaps, refuseOtherOptions } from './access.ts'

type Verb = Parameters<typeof accessChangeText>[0]['verb']

export async function changeAccessCommand(
  verb: Verb,
  [person, level, object]: readonly (string | undefined)[],
  options: AccessOptions,
  console: Console,
) {
  refuseOtherOptions(verb, options)
  const request = readRequest(verb, [person, level, object], options)
  const editing = { ...options, allow: [], dryRun: options.write !== true }
  const project = openEdit(editing, console)
  const shared = { ...editing, only: [], ledger: options.ledger ?? true, format: 'text' as const }
  const read = readEdited(project)
  const { opened, answer, changes, wanted } = await withPlan(read, shared, console, async (planned) => {
    const opened = await withPolicies(project.targets[0])
    // Other people's licences are read only if a policy asks.
    const whom = standingAccessNeeds(opened)?.licences ? {} : { person: request.person }
    const { answer, changes } = await readAll(read, planned, console, {}, whom)
    refuseGaps(answer)
    const object = objectIn(changes, request)
    const company =
      request.company === null ? null : await companyOf(planned.client, object, request.level, request.company)
    return { opened, answer, changes, wanted: { ...request, company } }
  })
  const { normalise } = opened.assembly
  const licences = new Map(answer.rows.map(({ subject, licensed }) => [normalise(subject ?? ''), licensed]))
  const found = await accessChanges(changes, wanted, verb === 'grant' ? 'granted' : 'revoked', opened, {
    licensed: (key) => licences.get(key) ?? null,
  })
  if (!found.isLevel) throw noSuchLevel(wanted)
  const untold = verb === 'revoke' && answer.rows.some((row) => row.afterApply && mayMatch(row, wanted, normalise))
  if (found.isSo && untold) throw new OperatorError('SVC2314', describeUnknownLevel(wanted), { hint: endUntold })
  if (found.isSo) {
    const own = answer.rows.filter((row) => isIt(row, wanted, normalise))
    await console.result(nothingToEdit(verb, wanted, own))
    return exitCodes.done
  }
  const way = chosenWay(verb, wanted, found, options.choose ?? 1)
  if (options.format === 'json') {
    const ways = found.found.map(({ taken: _, ...rest }) => rest)
    await console.result(
      safeJson({ formatVersion: '1.0', ...request, ways, chosen: options.choose ?? 1, byHand: found.fixed }),
    )
    return exitCodes.done
  }
  const { edited, refused } = editAccepted(project, { taken: way.taken, refused: [], pending: 0 })
  if (edited === undefined || refused.length > 0)
    throw new OperatorError('SVC2301', 'The manifests cannot be edited so: nothing is written', {
      findings: refused.map(({ address, what, why }) => `${address}  ${what}: ${why}`),
      hint: 'Choose another way with --choose, or edit this place by hand.',
    })
  const chosen = found.found.indexOf(way)
  const open = untold ? [`${describeUnknownLevel(wanted)}. ${endUntold}`] : []
  const next = options.write ? [] : [`To write ${chosen + 1}: --write. To choose another one: --choose N.`]
  return finishEdit(edited, editing, console, {
    lead: accessChangeText({ verb, wanted, ways: found.found, chosen, fixed: found.fixed }, console),
    notes: [...othersNote(edited), ...open, ...next],
    check: async (after, then) => {
      const { answer: result } = await readAll(then, after, console, {}, { person: wanted.person })
      const has = result.rows.some((row) => row.afterApply && isIt(row, wanted, normalise))
      if (has !== (verb === 'grant')) throw notReached(verb, wanted, way.edits.map(describeEdit))
    },
  })
}

interface RequestedRight extends Omit<WantedRight, 'company'> {
  readonly company: string | null
}

/** Reports unknown levels and missing words before it reads anything. */
function readRequest(
  verb: Verb,
  [person, level, object]: readonly (string | undefined)[],
  { format, write, company }: AccessOptions,
): RequestedRight {
  if (person === undefined || level === undefined || object === undefined) throw accessMisuse(verb, '')
  if (format === 'json' && write) throw accessMisuse(verb, '`--write` goes with the format text.')
  const levels = levelsOf(kinds)
  if (!levels.includes(level))
    throw accessMisuse(verb, suggestion(level, levels) ?? `The levels are ${quoted(levels)}.`)
  return { person, level, object, company: company ?? null }
}

/** The account was looked up before. */
function objectIn(changes: Awaited<ReturnType<typeof readAll>>['changes'], { object }: RequestedRight) {
  const found = changes.find(({ address, desired }) => address === object && desired?.absent !== true)
  if (found !== undefined) return found
  throw new OperatorError('SVC2281', `No object has the address ${inCode(object)}`, {
    hint:
      suggestion(
        object,
        changes.map(({ address }) => address),
      ) ?? '`svcsync access list` shows addresses.',
  })
}

function noSuchLevel({ level, object }: WantedRight): OperatorError {
  return new OperatorError('SVC2314', `${inCode(object)} has no level ${inCode(level)}`, {
    hint: '`owner` is of groups; applications, processes and form types have levels.',
  })
}

function chosenWay(verb: Verb, wanted: WantedRight, found: Awaited<ReturnType<typeof accessChanges>>, choose: number) {
  const way = found.found[choose - 1]
  if (way !== undefined) return way
  if (found.found.length > 0)
    throw new OperatorError(
      'SVC2314',
      `There is no way ${choose}: ${found.found.length} ${byCount(found.found.length, 'was', 'were')} found`,
      {
        hint: `\`svcsync access ${verb}\` without --choose lists them.`,
      },
    )
  const [who, what] = [inCode(wanted.person), formatRight(wanted)]
  const findings = [...found.lent, ...found.fixed.map(describeEdit), ...found.left]
  const byHand =
    found.lent.length > 0
      ? `${inCode(wanted.person)} stands in for somebody with it: end the substitution, by \`to\` or \`absent: true\`.`
      : 'Remove it on the platform: manifests do not list it, or only add to its list. Or declare the complete list.'
  throw new OperatorError(
    'SVC2314',
    verb === 'grant'
      ? `No edit of the manifests gives ${who} ${what}`
      : `No edit of the manifests takes ${what} from ${who}`,
    {
      findings: findings.slice(0, 10),
      hint: verb === 'grant' ? 'Declare the level on the object, or a group that has it.' : byHand,
    },
  )
}

const isIt = ({ subject, level, address, company }: AccessRow, wanted: WantedRight, normalise: NormaliseSvcId) =>
  limitsOf(wanted).includes(company) &&
  level === wanted.level &&
  address === wanted.object &&
  normalise(subject ?? '') === normalise(wanted.person)

function nothingToEdit(verb: Verb, wanted: WantedRight, rows: readonly AccessRow[]): string {
  const [who, what] = [inCode(wanted.person), formatRight(wanted, inCode)]
  const isLive = rows.some(({ live }) => live)
  if (verb === 'revoke') {
    const also = isLive ? ' The platform does: `svcsync apply` takes it away.' : ''
    return `No manifest gives ${who} ${what}: there is nothing to edit.${also}`
  }
  const isDeclared = !isLive || rows.some(({ declaredWay }) => declaredWay !== null)
  return isDeclared
    ? `The manifests give ${who} ${what} already: there is nothing to edit.`
    : `The platform gives ${who} ${what} already, and \`svcsync apply\` leaves it: there is nothing to edit.`
}

const endUntold = 'Remove it on the platform.'

/** An entry whose level is not told. */
const mayMatch = (row: AccessRow, { person, object }: WantedRight, normalise: NormaliseSvcId): boolean =>
  row.level === null && row.address === object && normalise(row.subject ?? '') === normalise(person)

const describeUnknownLevel = (wanted: WantedRight): string =>
  `${inCode(wanted.person)} may have ${formatRight(wanted, inCode)}: the platform does not tell the level of an entry`

/** The plan of the edited manifests has the last word. */
function notReached(verb: Verb, wanted: WantedRight, findings: readonly string[]): OperatorError {
  return new OperatorError(
    'SVC2315',
    `After the edit ${inCode(wanted.person)} would ` +
      `${verb === 'grant' ? 'still lack' : 'still have'} ${formatRight(wanted)}: nothing is written`,
    {
      findings,
      hint: `\`svcsync access explain ${wanted.person} '${wanted.object}'\` explains it. Choose another with --choose.`,
    },
  )
}
