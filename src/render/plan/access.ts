// Who gains and who loses what by a plan, through groups too: by person, and by group where many are alike.
import {
  type AccessDocument,
  type AccessEntry,
  type AccessWay,
  holdsAccess,
  throughSaid,
} from '../../core/access/describe-access.ts'
import type { Substitution } from '../../core/access/walk.ts'
import { groupBy } from '../../core/model/group-by.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { foldNames, formatCount, formatNumber } from '../text/counts.ts'
import {
  type Flow,
  indent,
  type Line,
  piece,
  restLines,
  type Style,
  say,
  titled,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import { code, fewest, firstOf, prose } from '../text/markdown.ts'
import { accessDriftLines, accessDriftSection, requestsSaid, standInsSaid } from './access-drift.ts'

/** People to whom the same happens in the same ways. */
interface AccessGroup {
  readonly subjects: readonly string[]
  readonly ways: readonly Way[]
}

interface Way extends AccessWay {
  readonly perhapsGroup?: true
  /** `Modify, Start (PL01) on`, and on what. */
  readonly rights: readonly { readonly levels: string; readonly address: string }[]
}

interface AccessForm {
  readonly event: keyof AccessDocument['more']
  /** Of `unknown`, those that may gain, or those that may lose. */
  readonly may?: 'gain' | 'lose'
  readonly sign: '+' | '-' | '~' | '?' | '•'
  readonly style: Style
  /** What one does, and what several do. */
  readonly verb: readonly [string, string]
  /** What somebody behind whom nobody sees may do for it. */
  readonly doubt: string
  /** When it is said; absent: that does not matter. */
  readonly nowMs?: number
  /** Of what comes through other groups: in front of the others. */
  readonly instead?: 'no longer' | 'not, as declared,'
}

const unsure = { event: 'unknown', sign: '?', style: 'warning' } as const

const forms: readonly AccessForm[] = [
  // Plans of before tell a doubt here.
  { event: 'gained', sign: '+', style: 'add', verb: ['gains', 'gain'], doubt: 'may have it already' },
  { ...unsure, may: 'gain', verb: ['may gain', 'may gain'], doubt: 'may have it already' },
  { event: 'lost', sign: '-', style: 'remove', verb: ['loses', 'lose'], doubt: '' },
  { ...unsure, may: 'lose', verb: ['may lose', 'may lose'], doubt: 'may keep it' },
  { event: 'changed', sign: '~', style: 'change', verb: ['keeps', 'keep'], doubt: '', instead: 'no longer' },
]

/** The platform as it is found, against what is declared: what healing takes away is too much now. */
const driftForms: readonly AccessForm[] = [
  { event: 'lost', sign: '+', style: 'add', verb: ['has undeclared', 'have undeclared'], doubt: '' },
  // That they have it was seen: only whether nothing declared gives it was not.
  {
    ...{ ...unsure, may: 'lose', doubt: 'may have it as declared' },
    verb: ['has, perhaps undeclared,', 'have, perhaps undeclared,'],
  },
  { event: 'gained', sign: '-', style: 'remove', verb: ['lacks', 'lack'], doubt: 'may have it' },
  { ...unsure, may: 'gain', verb: ['may lack', 'may lack'], doubt: 'may have it' },
  { event: 'changed', sign: '~', style: 'change', verb: ['has', 'have'], doubt: '', instead: 'not, as declared,' },
]

/** With when a plan was made: who stands in for somebody from a later day on has nothing by it until then. */
function formsOf({ createdAt }: PlanDocument, drift: boolean): readonly AccessForm[] {
  return drift
    ? driftForms
    : forms.map((form) => (form.event === 'changed' ? { ...form, nowMs: Date.parse(createdAt) } : form))
}

function levelOf({ level, company, untold }: AccessEntry & { readonly untold?: 'company' }): string {
  const limit = untold === undefined ? company : 'company not told'
  return `${level ?? 'a level that is not told'}${limit === null ? '' : ` (${limit})`}`
}

/** In the order of the entries: by account, and those to whom the same happens together. */
function groupAccess(entries: readonly AccessEntry[]): AccessGroup[] {
  const people = groupBy(
    entries.filter(({ subject }) => subject !== null),
    ({ subject }) => subject,
  )
  const alike = groupBy([...people.values()], (own) =>
    JSON.stringify(
      own.map((entry) => {
        const { subject, level, address, company, kind, unseen } = entry
        return [level, address, company, kind, ...wayOf(unseen === subject ? { ...entry, unseen: '' } : entry)]
      }),
    ),
  )
  return [...alike.values()].map((group) => {
    const [own] = group as [AccessEntry[]]
    return { subjects: group.map(([entry]) => entry?.subject ?? ''), ways: waysOf(own) }
  })
}

const wayOf = ({ via, skipped, before, unseen, substitutions, substitutionsBefore }: AccessWay): readonly unknown[] => [
  ...[via, skipped, before, unseen, substitutions, substitutionsBefore],
]

function waysOf(entries: readonly AccessEntry[]): Way[] {
  const ways = groupBy(entries, (entry) => JSON.stringify(wayOf(entry)))
  return [...ways.values()].map((own) => {
    const [entry] = own as [AccessEntry]
    const rights = [...groupBy(own, ({ address }) => address)].map(([address, held]) => ({
      address,
      levels: `${held.map(levelOf).join(', ')} ${held[0]?.kind === 'owner' ? 'of' : 'on'}`,
    }))
    return { ...entry, rights }
  })
}

function waySaid(way: Way, { instead }: AccessForm, show?: (text: string) => string): string {
  const through = (by: AccessWay): string => throughSaid(by, show) || 'directly'
  const { before, substitutionsBefore: substitutions } = way
  if (before === undefined || instead === undefined) return through(way)
  // What a plan leads to is what drift misses.
  const both = [through(way), through({ via: before, ...(substitutions && { substitutions }) })]
  const [now, other] = instead === 'no longer' ? both : both.reverse()
  return `${now}, and ${instead} ${other}`
}

function doubtSaid(
  { unseen, perhapsGroup, substitutions = [], substitutionsBefore = [] }: Way,
  { subjects }: AccessGroup,
  form: AccessForm,
  show: (text: string) => string = String,
): string {
  const beginsLater = ({ from }: Substitution): boolean => Date.parse(from) > (form.nowMs ?? Number.POSITIVE_INFINITY)
  const [last] = substitutions.filter(beginsLater).sort((a, b) => (a.from < b.from ? 1 : -1))
  if (last !== undefined && !substitutionsBefore.some(beginsLater)) {
    return `not until ${last.from.slice(0, 10)}: the substitution begins then`
  }
  if (unseen === undefined) return perhapsGroup ? 'may be a group: svcsync does not see its members' : ''
  if (subjects.includes(unseen)) return 'the platform does not tell all of what is held now'
  return `${form.doubt} through ${show(unseen)}, if that is a group: who is in it is not known`
}

/** What somebody can do, whole: `verb` is what one does, and what several do. */
export function heldLines(entries: readonly AccessEntry[], verb: AccessForm['verb']): Flow[] {
  const form: AccessForm = { event: 'gained', sign: '•', style: 'strong', verb, doubt: '' }
  return groupAccess(entries).flatMap((group) => groupLines(group, form, true))
}

export function accessLines(plan: PlanDocument, verbose: boolean, drift: boolean): Flow[] {
  const { access } = plan
  if (access === undefined) return []
  const lines = formsOf(plan, drift).flatMap((form) => formLines(access, form, verbose))
  const closed = closedIn(access)
  const notes = closed.length === 0 ? [] : [wrapText([indent(2), piece('? ', 'warning')], closedSaid(closed, String))]
  return titled('Access', 'strong', [...lines, ...notes, ...accessDriftLines(plan, verbose)])
}

function entriesOf(access: AccessDocument, { event, may }: AccessForm): readonly AccessEntry[] {
  const entries = access[event]
  return may === undefined ? entries : entries.filter((entry) => (entry.may ?? 'lose') === may)
}

/** Those that are only counted are not told apart. */
function moreOf({ more }: AccessDocument, { event, may }: AccessForm): number {
  return may === 'gain' ? 0 : more[event]
}

function formLines(access: AccessDocument, form: AccessForm, verbose: boolean): Flow[] {
  const entries = entriesOf(access, form)
  const groups = groupAccess(entries)
  const { shown } = foldNames(groups, form.sign === '-' ? '-' : '+', { whole: verbose })
  const { count, administrators } = hiddenIn(entries, groups.slice(shown.length), form)
  const them = administrators.map((subject) => [piece(subject, form.style)])
  return [
    ...shown.flatMap((group) => groupLines(group, form, verbose)),
    ...say(count && `… and ${count}, --verbose for all`, 'faint', 2),
    // However many they are: nobody comes to administer unseen.
    ...(them.length === 0 ? [] : [wrapItems([indent(4)], [...faintWords('of whom as Administrator:'), ...them])]),
    ...restLines(moreOf(access, form), 2, ', only counted'),
  ]
}

/** How many are not shown, empty for none; and who of them comes to administer something, since nobody does so unseen. */
function hiddenIn(entries: readonly AccessEntry[], groups: readonly AccessGroup[], { sign, verb }: AccessForm) {
  const hidden = new Set(groups.flatMap(({ subjects }) => subjects))
  const among = entries.filter(({ subject, level }) => level === 'Administrator' && hidden.has(subject ?? ''))
  const administrators = sign === '+' || sign === '?' ? [...new Set(among.map(({ subject }) => subject ?? ''))] : []
  const count = `${formatCount(hidden.size, 'more account')} ${verb[hidden.size === 1 ? 0 : 1]}`
  return { count: hidden.size === 0 ? '' : count, administrators }
}

/** So many ways of one group are shown, of those that give. */
const mostWays = 5

function groupLines(group: AccessGroup, form: AccessForm, verbose: boolean): Flow[] {
  const { subjects, ways } = group
  const { sign, style, verb } = form
  const [who, ...others] = subjects
  const isOne = others.length === 0
  const [way, ...otherWays] = ways
  const isBrief = otherWays.length === 0
  const said = way !== undefined && isBrief ? faintWords(waySaid(way, form)) : []
  const name = piece(isOne ? (who ?? '') : formatCount(subjects.length, 'account'), 'strong')
  const fold = <Item>(items: readonly Item[]) => foldNames(items, sign === '-' ? '-' : '+', { whole: verbose })
  const names = fold(subjects)
  const people = [
    ...names.shown.map((each) => [piece(each)]),
    ...(names.note === '' ? [] : [[piece(names.note, 'faint')]]),
  ]
  const isLong = !verbose && sign === '+' && ways.length > mostWays + 2
  return [
    wrapItems([indent(2), piece(`${sign} `, style)], [[name], [piece(verb[isOne ? 0 : 1])], ...said]),
    ...(isOne ? [] : [wrapItems([indent(6), piece('who: ', 'faint')], people)]),
    ...(isLong ? ways.slice(0, mostWays) : ways).flatMap((each): Flow[] => {
      const margin = isBrief ? 6 : 8
      const { shown, note } = fold(each.rights)
      return [
        ...(isBrief ? [] : [wrapItems([indent(6)], faintWords(waySaid(each, form)))]),
        ...shown.map(({ levels, address }) => {
          const words = levels.split(' ').map((word) => [piece(word, style)])
          return wrapItems([indent(margin)], [...words, [piece(address)]])
        }),
        ...(note === '' ? [] : [[indent(margin), piece(note, 'faint')]]),
        ...say(doubtSaid(each, group, form), 'faint', margin),
      ]
    }),
    ...(isLong ? [waysLeftOut(ways.slice(mostWays), form)] : []),
  ]
}

/** `… and 11 more ways: Administrator on 11 objects, --verbose for all`. */
function waysLeftOut(ways: readonly Way[], { style }: AccessForm): Flow {
  const byLevel = groupBy(
    ways.flatMap(({ rights }) => rights),
    ({ levels }) => levels,
  )
  const counts = [...byLevel].map(([levels, rights]) => `${levels} ${formatCount(rights.length, 'object')}`)
  const before = faintWords(`… and ${formatCount(ways.length, 'more way')}:`)
  const said = `${counts.join(', ')},`.split(' ').map((word) => [piece(word, style)])
  return wrapItems([indent(6)], [...before, ...said, ...faintWords('--verbose for all')])
}

const faintWords = (text: string): Line[] => text.split(' ').map((word) => [piece(word, 'faint')])

/** Objects of which nobody knows who can do what. */
function closedIn({ unknown }: AccessDocument): string[] {
  return unknown.flatMap(({ subject, unseen, address }) => (subject === null && unseen === undefined ? address : []))
}

function closedSaid(addresses: readonly string[], show: (text: string) => string): string {
  const { shown, note } = foldNames(addresses, '+', { way: 'not known either' })
  const rest = note === '' ? '' : ` ${note}`
  return `Not known who can do what on: ${shown.map(show).join(', ')}${rest}`
}

/** Of what groups hold where nobody looked; empty: nobody comes into one or leaves one, or everything was read. */
function beyondSaid({ access, accessDrift, changes, base }: PlanDocument): string {
  if (access?.mode === 'none') {
    const isMoved = changes.some(
      ({ action, kind, differences }) => action === 'delete' || kind === 'substitution' || differences.some(isList),
    )
    return isMoved ? 'Not read: who gains and who loses access, since the project file says `access: none`.' : ''
  }
  if (access?.mode === 'full') {
    if (access.requests === undefined || accessDrift !== undefined) return ''
    return [standInsSaid(access.looked, base), requestsSaid(access.requests)].filter((said) => said !== '').join(' ')
  }
  const moves = changes.some(({ differences }) =>
    differences.some(({ path, added = [], removed = [] }) => path === 'members' && added.length + removed.length > 0),
  )
  // Who stands in for somebody comes to what that one has, wherever it is.
  if (access?.mode === 'declared' && !moves && changes.some(({ kind }) => kind === 'substitution')) {
    return 'Not read: what people with a substitute hold on undeclared objects. `access: full` in the project file reads it.'
  }
  if (access?.mode !== 'declared' || !moves) return ''
  // An undo looks at no manifest.
  if (base?.from === 'journal')
    return 'Not read: what groups hold on other objects, and substitutions. `access: full` in the project file reads them.'
  return 'Not read: what groups hold on undeclared objects. `access: full` in the project file reads it.'
}

const isList = ({ added, removed }: PlanDocument['changes'][number]['differences'][number]): boolean =>
  (added ?? removed) !== undefined

/** What the access of a plan does not tell: sentences. */
export function accessNotes(plan: PlanDocument): string[] {
  const { access, accessDrift } = plan
  if (access === undefined) return []
  const unread = holdsAccess(access) && accessDrift === undefined ? unreadSaid(access) : ''
  const between = access.mode === 'declared' ? betweenSaid(access) : ''
  return [unread, between, beyondSaid(plan)].filter((sentence) => sentence !== '')
}

/** Empty: svcsync looked for no account that no manifest declares. */
function betweenSaid({ requests = 0 }: AccessDocument): string {
  return requests === 0 ? '' : `To look through undeclared groups took ${formatCount(requests, 'more request')}.`
}

/** Empty: nobody holds anything who may be a group. */
function unreadSaid({ unread, unknown }: AccessDocument): string {
  if (unread === 0) return ''
  const [groups, their] = unread === 1 ? ['a group', 'its'] : ['groups', 'their']
  const open = unknown.flatMap(({ subject, unseen, perhapsGroup }) => (perhapsGroup ? subject : unseen) ?? [])
  const { shown, note } = foldNames([...new Set(open)].sort(), '+')
  const names = shown.length === 0 ? '' : `: ${[...shown, ...(note === '' ? [] : [note])].join(', ')}`
  return `${formatCount(unread, 'account')} may be ${groups}; svcsync did not read ${their} members${names}.`
}

export function accessSection(plan: PlanDocument, names: number, drift: boolean): string[] {
  const { access } = plan
  if (access === undefined) return []
  const items = formsOf(plan, drift).flatMap((form) => {
    const entries = entriesOf(access, form)
    const groups = groupAccess(entries)
    // Of each sort some: behind many who gain nobody would see who loses.
    const limit = Math.max(Math.min(names, 50), fewest)
    const { count, administrators } = hiddenIn(entries, groups.slice(limit), form)
    const administer =
      administrators.length === 0 ? '' : `; of whom as Administrator: ${firstOf(administrators, limit, code)}`
    const rest = moreOf(access, form)
    return [
      ...groups.slice(0, limit).map((group) => itemOf(group, form, names)),
      ...(count === '' ? [] : [`- … and ${count}${administer}`]),
      ...(rest > 0 ? [`- … and ${formatNumber(rest)} more, only counted`] : []),
    ]
  })
  const closed = closedIn(access)
  const beside = accessDriftSection(plan, names)
  if (items.length + closed.length + beside.length === 0) return []
  return ['#### Access', '', ...items, ...(closed.length === 0 ? [] : [`- ${closedSaid(closed, code)}`]), ...beside]
}

function itemOf(group: AccessGroup, form: AccessForm, names: number): string {
  const { subjects, ways } = group
  const limit = Math.min(Math.max(names, 1), 20)
  const isOne = subjects.length === 1
  const who = isOne ? code(subjects[0] ?? '') : `**${formatCount(subjects.length, 'account')}**`
  const people = isOne ? '' : ` (${firstOf(subjects, limit, code)})`
  const held = ways.map((way) => {
    const rights = firstOf(way.rights, limit, ({ levels, address }) => `${prose(levels)} ${code(address)}`, '; ')
    const doubt = doubtSaid(way, group, form, code)
    return `<br>${waySaid(way, form, code)}: ${rights}${doubt === '' ? '' : ` (${doubt})`}`
  })
  return `- ${code(form.sign)} ${who} ${form.verb[isOne ? 0 : 1]}${people}${held.join('')}`
}
