// The ways to give somebody a right, or to end it, in words: the edits, and who else gains or loses by them.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import type { JudgedEdits, WantedRight } from '@svcsync/core/access/find-edits.ts'
import type { LinkEdit } from '@svcsync/core/access/what-if.ts'
import { showElement } from '@svcsync/core/model/elements.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { type Block, name, note, type Row, section, type Text, table } from '../blocks/block.ts'
import { printText } from '../printers/text.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import type { TextForm } from '../text/line.ts'

type AccessVerb = 'grant' | 'revoke'

interface AccessChangeChoice {
  readonly verb: AccessVerb
  readonly wanted: WantedRight
  readonly ways: readonly JudgedEdits[]
  readonly chosen: number
  /** Entries of the person that no apply takes away. */
  readonly fixed: readonly LinkEdit[]
}

const mostShown = 5
const mostPeople = 5

export function accessChangeText({ verb, wanted, ways, chosen, fixed }: AccessChangeChoice, form: TextForm): string {
  const { person } = wanted
  const title =
    verb === 'grant'
      ? `Ways to give ${person} ${formatRight(wanted)}`
      : `Ways to take ${formatRight(wanted)} from ${person}`
  const shown = ways.slice(0, Math.max(mostShown, chosen + 1))
  const rows = shown.map((way, index): Row => {
    const [first, ...more] = way.edits.map(describeEdit)
    return {
      ...(index === chosen ? { tone: 'strong' as const } : {}),
      cells: [`${index + 1}`, [name(first ?? '')]],
      below: [...more.map((line) => [name(line)]), ...consequences(verb, way).map((line) => line)],
    }
  })
  const rest = ways.length - shown.length
  const blocks: Block[] = [
    ...section(title, 'strong', [
      ...fixed.map((edit) => note(describeFixedEntry(edit, person), undefined, '!')),
      ...table(rows),
      ...(rest > 0 ? [note(`… and ${formatNumber(rest)} more: \`--format json\` has them`, 'faint')] : []),
    ]),
  ]
  return printText(blocks, { ...form, verbose: true })
}

/** `Start (PL01) on process/main/Purchasing/Orders`. */
export const formatRight = ({ level, object, company }: WantedRight, show: (text: string) => string = String): string =>
  `${level}${company === null ? '' : ` (${company.name})`} on ${show(object)}`

function describeFixedEntry({ address, collection }: LinkEdit, person: string): Text {
  const list = [collection, 'of', name(address)]
  return ['An apply takes nobody out of', ...list, '. To end that entry alone, remove', name(person), byHand]
}

const byHand = 'there by hand, and from the manifests if they list it.'

export const describeEdit = ({ is, address, collection, element }: LinkEdit): string =>
  `${address}  ${collection} ${is === 'added' ? '+' : '-'}${showElement(element)}`

function consequences(verb: AccessVerb, { others, besides, lost, perhaps, breaks }: JudgedEdits): string[] {
  const does = verb === 'grant' ? 'gain' : 'lose'
  const alone = others.length + besides.length + lost.length + perhaps.length === 0
  const groups = [...new Set(perhaps.flatMap(({ unseen }) => unseen ?? []))]
  const unseen = groups.length === 0 ? '' : `: svcsync does not know who is in ${groups.join(', ')}`
  return [
    ...(alone ? [`Nobody ${does}s anything else.`] : []),
    ...sentences(others, `would ${does}`),
    ...(besides.length === 0 ? [] : [`The same account would ${does} ${formatRights(besides)} as well.`]),
    ...sentences(lost, 'would lose', ': no manifest lists that level yet'),
    ...sentences(perhaps, `may ${does}`, unseen),
    ...breaks.map((sentence) => `Breaks a policy: ${sentence}`),
  ]
}

/** One sentence for all accounts with the same rights, so that it is true of each. */
function sentences(entries: readonly AccessEntry[], does: string, why = ''): string[] {
  const byAccount = groupBy(entries, ({ subject, unseen }) => subject ?? unseen ?? 'somebody')
  const alike = [...groupBy([...byAccount], ([, own]) => formatRights(own))]
  const shown = alike.slice(0, mostPeople).map(([rights, own]) => {
    return `${formatAccounts(own.map(([account]) => account))} ${does} ${rights}${why}.`
  })
  const rest = alike.slice(mostPeople).reduce((count, [, own]) => count + own.length, 0)
  return rest === 0 ? shown : [...shown, `${formatCount(rest, 'more account')} ${does} something${why}.`]
}

function formatAccounts(accounts: readonly string[]): string {
  const rest = accounts.length - mostPeople
  return rest > 0
    ? `${accounts.slice(0, mostPeople).join(', ')} and ${formatCount(rest, 'other')}`
    : accounts.join(', ')
}

const formatLevel = ({ level, company }: AccessEntry): string =>
  `${level ?? 'a level that is not told'}${company === null ? '' : ` (${company})`}`

function formatRights(entries: readonly AccessEntry[]): string {
  const phrases = [...groupBy(entries, ({ address }) => address)].map(
    ([address, own]) => `${[...new Set(own.map(formatLevel))].join(', ')} on ${address}`,
  )
  const rest = phrases.length - mostPeople
  return rest > 0
    ? `${phrases.slice(0, mostPeople).join('; ')} and more on ${formatCount(rest, 'object')}`
    : phrases.join('; ')
}
