// `svcsync access`: who can do what, live and as declared, through groups in groups.
import { documentAccessDrift, withMissing } from '@svcsync/core/access/access-drift.ts'
import { countAccess, most } from '@svcsync/core/access/describe-access.ts'
import type { GlobalPrivileges } from '@svcsync/core/access/outside.ts'
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { cutLines, quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { appliedHistory } from '@svcsync/ledger/applied-history.ts'
import { levelsOf } from '@svcsync/project/exceptions.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import { standInLimit } from '@svcsync/render/plan/access-drift.ts'
import { describeMoment } from '@svcsync/render/report/access-list.ts'
import { accessRun, answerAccess } from '@svcsync/runs/access/access-run.ts'
import { commitAt } from '@svcsync/runs/access/commit-at.ts'
import { driftAccessRun } from '@svcsync/runs/access/drift-access-run.ts'
import { declaredSince } from '@svcsync/runs/open/declared-since.ts'
import { hasErrors, type ReadProject } from '@svcsync/runs/open/open-project.ts'
import { withGlobalPrivileges } from '@svcsync/runs/open/with-policies.ts'
import { readUndeclared } from '@svcsync/runs/plan/read-undeclared.ts'
import { type ConnectedPlan, planForCommand, readForCommand, withProgress } from '../../planning/open-for-command.ts'
import { flagOf } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { formats } from '../../program/formats.ts'
import type { SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { unlessInterrupted } from '../../terminal/interrupts.ts'
import { keepHeapSmall } from '../../v8-settings.ts'
import type { AccessOptions } from '../review.ts'

export const accessCommand = unlessInterrupted(answerQuestion)

async function answerQuestion(
  what: 'explain' | 'of' | 'list',
  words: readonly (string | undefined)[],
  options: AccessOptions,
  console: Console,
) {
  refuseOtherOptions(what, options)
  const question = questionOf(what, words, options)
  if (options.format === 'html') refusePage(what, options)
  const shared = { ...options, only: [], allow: [], format: 'text' as const }
  const { opened, global } = withGlobalPrivileges(readForCommand(shared, false))
  const at = options.at === undefined ? undefined : commitAt(options.at, opened)
  const planOptions = at === undefined ? shared : { ...shared, since: at.ref, asOfMs: at.asOfMs, ledger: false }
  const ledger = await ledgerOf(opened, shared, console)
  const planned = await planForCommand(opened, planOptions, console, { ledger })
  // Rows come and go: the heap need not grow for them.
  keepHeapSmall(40)
  try {
    const answer = await withProgress(opened, console, (onProgress) =>
      answerAccess(opened, planned.client, planned, question, {
        ...{ onProgress, global, at, tellsAbove: options.format === 'html' },
        sinceOf: () => declaredSince(opened, at?.ref),
        // A ledger without an entry knows nothing of what was applied.
        appliedBy: ledger?.applied && appliedHistory(ledger.dir, ledger.applied.entry, opened.project.targetName),
        // A review is about what is so, and what manifests say today.
        tellsBase: what === 'explain' || at !== undefined,
      }),
    )
    if (options.strict) refuseUnknown(answer, opened)
    else if (what === 'list') refuseGaps(answer)
    const isAnswer = what === 'of'
    const form = { console, options, question, isAnswer, opened }
    await console.result(await formats[options.format].access(answer, form))
    const asOf = describeMoment(answer, options.at)
    // Rows have no room for it.
    const isTable = options.format === 'csv' || options.format === 'jsonl'
    if (isTable && asOf !== '') console.note(asOf)
    if (isTable && answer.unlooked !== undefined) console.note(standInLimit())
    return answer.unread.length > 0 ? exitCodes.error : exitCodes.done
  } finally {
    await planned.client.close()
  }
}

async function ledgerOf({ project, problems }: ReadProject, options: SharedOptions, console: Console) {
  const dir = repositoryOf(project.dir)
  if (project.ledger === undefined || options.ledger === false || hasErrors(problems) || dir === undefined)
    return undefined
  const { ledgerForPlan } = await import('../../planning/ledger-for-command.ts')
  const known = await ledgerForPlan(project, options, console)
  return known && { ...known, dir }
}

/** `--strict` exists for signed answers: complete, or an error. */
function refuseUnknown(answer: AccessReport<Iterable<AccessRow>>, { project, assembly }: ReadProject): void {
  const { unread, outside } = answer
  const isExternal = externalAccounts(project.externalAccounts, assembly.normalise)
  // An unreadable group appears as unreadable.
  const isUnread = (svcId: string): boolean => unread.some(({ address }) => address.endsWith(`/${svcId}`))
  const perhapsGroups = answer.perhapsGroups.filter((each) => !isExternal(each) && !isUnread(each))
  const { reviewed, unknown } = outside
  const why = [
    ...unread.map(({ address, reason }) => `\`${address}\` was not read (${reason})`),
    ...(perhapsGroups.length === 0
      ? []
      : [
          'svcsync cannot tell if these accounts are groups: ' +
            `${quoted(perhapsGroups)} (if a directory has them, name them in \`accounts.external\`)`,
        ]),
    ...(reviewed === null
      ? [
          'no file tells who has a role of the whole installation: ' +
            'name a reviewed one by `globalPrivileges: { file, maxAge }` in the project file',
        ]
      : []),
    ...(reviewed?.isOld
      ? [
          `\`${reviewed.file}\` was checked on ${reviewed.checked}, more than ${reviewed.maxAgeDays} days ago: ` +
            'check it, and write the day into `checked`',
        ]
      : []),
    ...(unknown.length === 0
      ? []
      : [`\`${reviewed?.file}\` names ${quoted(unknown)}, whom neither the manifests nor the platform know`]),
  ]
  if (why.length === 0) return
  throw new OperatorError('SVC2284', 'The answer does not tell everything, and `--strict` asks for that', {
    hint: `${cutLines(why, named).join('; ')}. Without \`--strict\`, the answer lists its gaps.`,
  })
}

const named = 10

/** A review that is not whole is none. */
export function refuseGaps({ unread }: Pick<AccessReport, 'unread'>): void {
  if (unread.length === 0) return
  const shown = unread.slice(0, named).map(({ address, reason }) => `\`${address}\` (${reason})`)
  const rest = unread.length - shown.length
  throw new OperatorError('SVC2282', 'The list would be incomplete: svcsync could not read everything', {
    hint:
      `Not read: ${shown.join('; ')}${rest > 0 ? `, and ${rest} more` : ''}. A complete list needs all users, ` +
      'groups and privileges. `svcsync access of` and `access explain` show what is readable.',
  })
}

/** Problems of the baseline are shown with their frames. `first`: as many findings of each sort; absent: all. */
export function findAccess(
  opened: ReadProject,
  planned: ConnectedPlan,
  global: GlobalPrivileges | undefined,
  console: Console,
  first?: number,
) {
  return withProgress(opened, console, (onProgress) =>
    driftAccessRun(opened, planned.client, planned, global, onProgress, first),
  )
}

/** The drift with the access of people, instead of the plan's own knowledge of it. */
export async function addAccess(
  drift: ShownPlan,
  opened: ReadProject,
  planned: ConnectedPlan,
  global: GlobalPrivileges | undefined,
  console: Console,
): Promise<ShownPlan> {
  // Findings come and go: the heap need not grow for them.
  keepHeapSmall(25)
  const found = await findAccess(opened, planned, global, console, most.entries)
  const { access: seen, accessDrift } = documentAccessDrift(found)
  const access = drift.base ? withMissing(seen, drift.access) : seen
  const counts = { ...drift.counts, gained: countAccess(access, 'gained'), lost: countAccess(access, 'lost') }
  return { ...drift, access, accessDrift, counts }
}

export function readAll(
  opened: Pick<ReadProject, 'project' | 'assembly' | 'displayBase' | 'sources' | 'exceptions'>,
  planned: ConnectedPlan,
  console: Console,
  more: Omit<Parameters<typeof accessRun>[4], 'read' | 'onProgress'> = {},
  question: Parameters<typeof accessRun>[3] = {},
) {
  return withProgress(opened, console, async (onProgress) => {
    const { plan, reads, client } = planned
    const read = await readUndeclared(client, opened, { ...plan, reads }, onProgress)
    const answer = await accessRun(opened, client, planned, question, { ...more, read })
    return { answer, changes: read.changes }
  })
}

type Subcommand = keyof typeof forms

/** It answers the other questions, and shows what is so now. */
function refusePage(what: Subcommand, { at }: AccessOptions): void {
  if (what !== 'list') throw accessMisuse(what, 'A page is for `access list`: it answers the others.')
  if (at !== undefined) throw accessMisuse(what, 'A page shows only the present state: leave out `--at`.')
}

const asking = ['person', 'level', 'object', 'at', 'strict'] as const
const changing = ['company', 'choose', 'write', 'force'] as const
/** The options that each takes, of those that not all of them take. */
const optionsOf: Readonly<Record<Subcommand, readonly (keyof AccessOptions)[]>> = {
  ...{ explain: asking, of: asking, list: asking, grant: changing, revoke: changing },
  accept: ['person', 'level', 'object', 'company', 'all', 'until', 'reason'],
  review: ['by', 'until', 'maxAge', 'dryRun', 'force'],
}

export function refuseOtherOptions(what: Subcommand, options: AccessOptions): void {
  if (optionsOf[what] !== asking && options.format !== 'text' && options.format !== 'json')
    throw accessMisuse(what, 'Its formats are text and json.')
  const own = new Set(optionsOf[what])
  for (const key of new Set(Object.values(optionsOf).flat())) {
    if (own.has(key) || options[key] === undefined) continue
    const owner = (Object.keys(optionsOf) as Subcommand[]).find((each) => optionsOf[each].includes(key)) ?? what
    throw accessMisuse(what, `\`${flagOf(key)}\` is for \`access ${owner}\`.`)
  }
}

export function accessMisuse(what: Subcommand, hint: string): OperatorError {
  return new OperatorError('SVC2283', `\`access ${what}\` has wrong arguments`, {
    hint: `${hint === '' ? '' : `${hint} `}Write \`svcsync access ${forms[what]}\`. Quote names with blanks.`,
  })
}

const forms = {
  explain: 'explain PERSON [ADDRESS]',
  of: 'of ADDRESS',
  list: 'list',
  accept: 'accept --person SVCID --until DATE --reason TEXT',
  review: 'review start --by owner --until DATE',
  grant: 'grant PERSON LEVEL ADDRESS',
  revoke: 'revoke PERSON LEVEL ADDRESS',
}

function questionOf(
  what: Subcommand,
  [first, second]: readonly (string | undefined)[],
  { person, object, level }: AccessOptions,
): Parameters<typeof accessRun>[3] {
  const twice = (option: string): OperatorError =>
    accessMisuse(what, `\`--${option}\` repeats a value of the question: leave it out.`)
  const levels = levelsOf(kinds)
  if (level !== undefined && !levels.includes(level))
    throw accessMisuse(what, suggestion(level, levels) ?? `The levels are ${quoted(levels)}.`)
  if (what === 'explain' && first !== undefined) {
    if (person !== undefined) throw twice('person')
    if (second !== undefined && object !== undefined) throw twice('object')
    return { person: first, address: second ?? object, level }
  }
  if (what === 'of' && first !== undefined && second === undefined) {
    if (object !== undefined) throw twice('object')
    return { address: first, person, level }
  }
  if (what === 'list' && first === undefined) return { person, address: object, level }
  throw accessMisuse(what, '')
}
