// Words drift as the text of an issue: the verdict, each object with its age and ways on, the rest by kind.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { fingerprintsOf } from '@svcsync/core/plan/run-history.ts'
import { type Block, fold, maybeNote, name, names, note, type Row, section, table } from '../blocks/block.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { nounOf, takesAway } from '../changes/change-blocks.ts'
import { differencesOf } from '../changes/difference-rows.ts'
import { driftCaveat, driftMarks, objectSentence } from '../changes/drift-words.ts'
import { type ReviewedChange, reviewChanges } from '../changes/reviewed-change.ts'
import { accessBlocks, heldBlocks } from '../plan/access-blocks.ts'
import { exceptionsSection } from '../plan/exceptions.ts'
import { guardSection } from '../plan/guards.ts'
import { type CommandOptions, nextCommands, nextCommandsForObject } from '../plan/next-commands.ts'
import { unreadSection, upcomingSection } from '../plan/notices.ts'
import { driftLegend, headOf } from '../plan/plan-blocks.ts'
import { formatAge } from '../plan/run-history.ts'
import { footnotes } from '../plan/unmanaged.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { shortenMarkdown } from '../text/markdown.ts'

interface IssueForm extends Pick<MarkdownForm, 'link'> {
  readonly maxLength: number
  readonly differences: readonly ReturnType<typeof fingerprintsOf>[number][]
  /** By fingerprint: `2026-11-22`. */
  readonly since: (fingerprint: string) => string | undefined
  readonly today: string
  /** The same of undeclared access; of each entry. */
  readonly heldSince: (entry: AccessEntry) => string | undefined
  readonly ways: CommandOptions
  readonly teams: readonly string[]
}

/** So many objects are shown with their differences and ways; the others are named by kind. */
const stages = [2000, 500, 200, 100, 50, 20, 5, 0]

export function renderDriftIssue(plan: ShownPlan, form: IssueForm): string {
  const found = sortByAge(plan, form)
  // Nothing else in a text of ours is a mention.
  const owners = form.teams.length === 0 ? '' : `\nOwners of the lines: ${form.teams.join(', ')}\n`
  const maxLength = form.maxLength - owners.length
  const render = (detailed: number): string =>
    `${printMarkdown(blocksOf(plan, found, form, detailed), { link: form.link, maxLength: Number.POSITIVE_INFINITY })}`
  const text = shortenMarkdown(stages, render, maxLength)
  return `${text}${owners}`
}

interface AgedChange {
  readonly change: ReviewedChange
  readonly days: readonly string[]
}

function sortByAge(plan: ShownPlan, { differences, since }: IssueForm): readonly AgedChange[] {
  const own = groupBy(differences, ({ address }) => address)
  const all = reviewChanges(plan).map((change): AgedChange => {
    const days = (own.get(change.address) ?? []).flatMap(({ fingerprint }) => since(fingerprint) ?? [])
    return { change, days: days.sort() }
  })
  return all.sort((a, b) => Number(takesAway(b.change)) - Number(takesAway(a.change)))
}

function blocksOf(plan: ShownPlan, found: readonly AgedChange[], form: IssueForm, detailed: number): Block[] {
  const { unreadable } = plan
  const unread = `${formatCount(unreadable.length, 'object')} could not be read, and may differ as well`
  const shown = new Set(found.slice(0, detailed))
  const byKind = groupBy(found, ({ change }) => change.kind)
  const kinds = [...byKind].flatMap(([kind, own]) => kindBlocks(plan.kinds[kind] ?? kind, own, shown, form))
  const whole = nextCommands(plan, form.ways)
  const lead =
    `${plan.base ? '' : `${driftCaveat} `}${driftLegend} For each object, the first line heals it, ` +
    'the second writes the live state into the manifests, and the third leaves it alone until a day.'
  return [
    headOf(plan, true),
    ...maybeNote(formatAges(form)),
    ...guardSection(plan, 'refused'),
    ...unreadSection(unreadable, unread),
    ...peopleBlocks(plan, form, detailed),
    ...accessBlocks(withoutPeople(plan), true),
    ...exceptionsSection(plan),
    ...upcomingSection(endingSoon(plan), 'Begins or ends by tomorrow: `svcsync apply --due` carries it out'),
    ...(shown.size === 0 ? [] : maybeNote(lead, 'faint')),
    ...kinds,
    ...(found.length < 2
      ? []
      : [whole.heal, whole.keep, whole.except].flatMap((way) => (way === undefined ? [] : [optionBlock(way)]))),
    { block: 'footer', parts: footnotes(plan), blocks: [] },
  ]
}

const optionBlock = ({ what, lines }: { readonly what: string; readonly lines: readonly string[] }): Block => ({
  ...{ block: 'copy', says: `${what}:`, lines },
})

/** Live access that an unseen way may declare. */
const isUndeclared = ({ subject, may }: AccessEntry): boolean => subject !== null && may !== 'gain'

export const undeclaredIn = ({ access, accessDrift }: ShownPlan): readonly AccessEntry[] =>
  accessDrift === undefined || access === undefined ? [] : [...access.lost, ...access.unknown.filter(isUndeclared)]

function withoutPeople(plan: ShownPlan): ShownPlan {
  const { access, accessDrift } = plan
  if (accessDrift === undefined || access === undefined) return plan
  return { ...plan, access: { ...access, lost: [], unknown: access.unknown.filter((entry) => !isUndeclared(entry)) } }
}

function peopleBlocks(plan: ShownPlan, { heldSince, today }: IssueForm, detailed: number): Block[] {
  const people = [...groupBy(undeclaredIn(plan), ({ subject }) => String(subject))]
  const blocks = people.slice(0, detailed).flatMap(([person, entries]): Block[] => {
    const [oldest] = entries.flatMap((entry) => heldSince(entry) ?? []).sort()
    const age = oldest === undefined ? [] : [`has undeclared access ${formatAge(oldest, today)}:`]
    return [
      note([name(person, 'strong'), ...age]),
      ...heldBlocks(entries),
      { block: 'copy', lines: [...new Set(entries.flatMap(acceptLine))] },
    ]
  })
  const rest = people.slice(detailed).map(([person]) => person)
  const more = rest.length === 0 ? [] : [note([`${formatCount(rest.length, 'more account')}:`, names(rest, 'loss')])]
  return section('Access that nobody declared, by person', 'remove', [...blocks, ...more])
}

function acceptLine({ subject, level, address, company }: AccessEntry): string[] {
  if (level === null) return []
  const options = [
    ['person', String(subject)],
    ['level', level],
    ['object', address],
    ...(company === null ? [] : [['company', company]]),
  ]
  const said = options.map(([option, value]) => `--${option} ${shellWord(value as string)}`).join(' ')
  return [`svcsync access accept ${said} --until DATE --reason REASON`]
}

/** By the end of the next day. */
export function endingSoon({ upcoming, createdAt }: ShownPlan): ShownPlan['upcoming'] {
  const soonMs = Date.parse(createdAt) + 2 * 86_400_000
  return upcoming.filter(({ at }) => Date.parse(at) <= soonMs)
}

function formatAges({ differences, since, today }: IssueForm): string {
  const days = differences.map(({ fingerprint }) => since(fingerprint))
  const isNew = days.filter((day) => day === today).length
  const [oldest] = days.filter((day) => day !== undefined).sort()
  if (oldest === undefined) return ''
  const all = formatCount(days.length, 'difference')
  if (isNew === days.length) return `${all}, new today.`
  return (
    `${all}, ${isNew === 0 ? 'none' : formatNumber(isNew)} of them new today; ` +
    `the oldest ${formatAge(oldest, today)}.`
  )
}

function kindBlocks(
  title: string,
  own: readonly AgedChange[],
  shown: ReadonlySet<AgedChange>,
  form: IssueForm,
): Block[] {
  const detailed = own.filter((each) => shown.has(each))
  const rest = own.filter((each) => !shown.has(each))
  const blocks = [
    ...detailed.flatMap((each) => objectBlocks(each, form)),
    ...(rest.length === 0 ? [] : [restNote(rest, form)]),
  ]
  if (detailed.length === 0) return fold(`${title}: ${formatCount(own.length, 'object')}`, blocks)
  return section(title, 'strong', blocks)
}

function restNote(rest: readonly AgedChange[], { today }: IssueForm): Block {
  const [oldest] = rest.flatMap(({ days }) => days[0] ?? []).sort()
  const age = oldest === undefined ? [] : [`(the oldest ${formatAge(oldest, today)})`]
  const [one, several] = nounOf((rest[0] as AgedChange).change.kind)
  const addresses = rest.map(({ change }) => change.address)
  return note([`${formatCount(rest.length, `more ${one}`, `more ${several}`)}:`, names(addresses, 'loss'), ...age])
}

function objectBlocks({ change, days }: AgedChange, { ways, today }: IssueForm): Block[] {
  const { address, action, differences, place } = change
  const [oldest] = days
  const row: Row = {
    sign: driftMarks[action],
    cells: [[name(address)], ...(oldest === undefined ? [] : [[formatAge(oldest, today)]])],
    place,
    isGrave: true,
    below: action === 'update' ? describeNewer(days, today) : [objectSentence(change)],
    ...differencesOf(differences, { creating: action === 'create', place, fromDeclared: true }),
  }
  return [...table([row], { weight: 'loss' }), { block: 'copy', lines: nextCommandsForObject(address, ways) }]
}

function describeNewer(days: readonly string[], today: string): string[] {
  const [oldest, newest] = [days[0], days.at(-1)]
  const newer = days.filter((day) => day !== oldest).length
  return newer === 0
    ? []
    : [`${formatCount(newer, 'difference')} newer, the last ${formatAge(newest as string, today)}`]
}
