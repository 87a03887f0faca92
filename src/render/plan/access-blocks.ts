// Who gains and who loses what by a plan, through groups too: by person, and by group where many are alike.
import {
  type AccessDocument,
  type AccessEntry,
  type AccessEvent,
  type AccessWay,
  accessEvents,
  holdsAccess,
  isUnread,
  throughSaid,
} from '@svcsync/core/access/describe-access.ts'
import type { Substitution } from '@svcsync/core/access/walk.ts'
import { spokenNames } from '@svcsync/core/model/address.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { inCode } from '@svcsync/errors/index.ts'
import {
  type Block,
  fold,
  type Inline,
  name,
  names,
  note,
  type Row,
  type Sign,
  section,
  type Text,
  type Tone,
  table,
  ticked,
  type Weight,
  words,
} from '../blocks/block.ts'
import { byCount, foldNames, formatCount } from '../text/counts.ts'
import { accessDriftBlocks, requestsSaid, standInsSaid } from './access-drift.ts'

interface AccessGroup {
  /** The same of those to whom the same happens otherwise: one loses what the other gains. */
  readonly key: string
  readonly subjects: readonly string[]
  readonly ways: readonly Way[]
}

interface Way extends AccessWay {
  readonly perhapsGroup?: true
  readonly rights: readonly Right[]
}

interface Right {
  readonly levels: string
  readonly addresses: readonly string[]
  readonly isAdministrator: boolean
}

interface AccessForm extends Pick<AccessEvent, 'effect' | 'certain'> {
  readonly sign: Sign
  readonly tone: Tone
  readonly perhaps?: string
  /** What somebody behind whom nobody sees may do for it. */
  readonly doubt: string
  readonly tag: string
  /** When it is said; absent: that does not matter. */
  readonly nowMs?: number
  /** Accounts that the platform does not have. */
  readonly strangers?: ReadonlySet<string>
  readonly nameOf?: ReturnType<typeof spokenNames>
  /** Of what comes through other groups: in front of the others. */
  readonly instead?: 'no longer' | 'not, as declared,'
}

const sure = { certain: true, doubt: '' } as const
const unsure = { certain: false, sign: '?', tone: 'warning', tag: 'access unsure' } as const

const forms: readonly AccessForm[] = [
  // Plans of before tell a doubt here.
  { ...sure, effect: 'gain', sign: '+', tone: 'add', doubt: 'may have it already', tag: 'access gained' },
  { ...unsure, effect: 'gain', perhaps: 'may gain it', doubt: 'may have it already' },
  { ...sure, effect: 'lose', sign: '-', tone: 'remove', tag: 'access lost' },
  { ...unsure, effect: 'lose', perhaps: 'may lose it', doubt: 'may keep it' },
  { ...sure, effect: 'keep', sign: '~', tone: 'change', instead: 'no longer', tag: 'access kept' },
]

/** The platform as it is found, against what is declared: what healing takes away is too much now. */
const driftForms: readonly AccessForm[] = [
  { ...sure, effect: 'lose', sign: '+', tone: 'add', tag: 'access undeclared' },
  // That they have it was seen: only whether nothing declared gives it was not.
  { ...unsure, effect: 'lose', perhaps: 'has it, perhaps undeclared', doubt: 'may have it as declared' },
  { ...sure, effect: 'gain', sign: '-', tone: 'remove', doubt: 'may have it', tag: 'access missing' },
  { ...unsure, effect: 'gain', perhaps: 'may lack it', doubt: 'may have it' },
  { ...sure, effect: 'keep', sign: '~', tone: 'change', instead: 'not, as declared,', tag: 'access kept' },
]

/** With when a plan was made: who stands in for somebody from a later day on has nothing by it until then. */
function formsOf(
  { createdAt, warnings }: PlanDocument,
  events: readonly AccessEvent[],
  drift: boolean,
): readonly AccessForm[] {
  const nameOf = spokenNames(events.flatMap(({ entry: { address, kind } }) => (kind === 'privilege' ? address : [])))
  if (drift) return driftForms.map((form) => ({ ...form, nameOf }))
  const strangers = new Set(warnings.flatMap(({ account }) => account ?? []))
  const nowMs = Date.parse(createdAt)
  return forms.map((form) => ({ ...form, nameOf, strangers, ...(form.effect === 'keep' && { nowMs }) }))
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
  return [...alike].map(([key, group]) => {
    const [own] = group as [AccessEntry[]]
    return { key, subjects: group.map(([entry]) => entry?.subject ?? ''), ways: waysOf(own) }
  })
}

const wayOf = ({ via, skipped, before, unseen, substitutions, substitutionsBefore }: AccessWay): readonly unknown[] => [
  ...[via, skipped, before, unseen, substitutions, substitutionsBefore],
]

const isAdministering = ({ level, kind }: AccessEntry): boolean => level === 'Administrator' && kind !== 'owner'

/** Objects on which the levels are the same stand together. */
function waysOf(entries: readonly AccessEntry[]): Way[] {
  const ways = groupBy(entries, (entry) => JSON.stringify(wayOf(entry)))
  return [...ways.values()].map((own) => {
    const [entry] = own as [AccessEntry]
    const objects = [...groupBy(own, ({ address }) => address)]
    const alike = groupBy(objects, ([, held]) => held.map(levelOf).join(', '))
    const rights = [...alike].map(([levels, of]): Right => {
      const isAdministrator = of.some(([, held]) => held.some(isAdministering))
      return { levels, addresses: of.map(([address]) => address), isAdministrator }
    })
    return { ...entry, rights }
  })
}

function waySaid(way: Way, { instead }: AccessForm): string {
  const through = (by: AccessWay): string => throughSaid(by, inCode) || 'directly'
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
): string {
  const beginsLater = ({ from }: Substitution): boolean => Date.parse(from) > (form.nowMs ?? Number.POSITIVE_INFINITY)
  const [last] = substitutions.filter(beginsLater).sort((a, b) => (a.from < b.from ? 1 : -1))
  if (last !== undefined && !substitutionsBefore.some(beginsLater)) {
    return `not until ${last.from.slice(0, 10)}: the substitution begins then`
  }
  const isStranger = (svcId: string) => form.strangers?.has(svcId) === true
  if (form.effect === 'gain' && subjects.every(isStranger)) return 'the platform has no such user or group'
  if (unseen === undefined) return perhapsGroup ? 'may be a group: svcsync does not see its members' : ''
  if (subjects.includes(unseen)) return 'the platform does not tell all of what is held now'
  if (isStranger(unseen)) return `${form.doubt} through ${inCode(unseen)}, which the platform does not have`
  return `${form.doubt} through ${inCode(unseen)}, if that is a group`
}

/** One row for each way and level; of several rows of the same people, the first stands for them. */
function rowsOf(group: AccessGroup, form: AccessForm): Row[] {
  const rights = group.ways.flatMap((way) => way.rights.map((right) => ({ way, right })))
  // Nobody comes to administer unseen.
  const isGrave = form.sign === '-' || rights.some(({ right }) => administers(right, form))
  return rights.map(({ way, right }, index): Row => {
    const isBold = administers(right, form)
    return {
      sign: form.sign,
      tone: form.tone,
      // Made when they are printed: of thousands nobody looks at most.
      get cells() {
        return [
          [whoOf(group.subjects, isBold)],
          [words(right.levels, isBold ? 'strong' : form.tone)],
          [names(right.addresses.map(form.nameOf ?? ((address) => address)), weightOf(form))],
        ]
      },
      get below() {
        return [
          ...(index === 0 && group.subjects.length > 1 ? [['who:', names(group.subjects, weightOf(form))]] : []),
          ticked(waySaid(way, form)),
          ...doubtTexts(way, group, form),
        ]
      },
      isGrave,
      stands: index === 0 ? group.subjects.length : 0,
      tags: [form.tag, ...(isBold ? ['administrators'] : [])],
    }
  })
}

/** In place of the rows of somebody who loses what others gain. */
function sameRow(rows: readonly Row[], { subjects }: AccessGroup, { tone }: AccessForm): Row {
  const [first] = rows as [Row]
  const gains = byCount(subjects.length, 'gains', 'gain')
  const cells = [first.cells[0] as Text, [words('all', tone)], ['that', whoOf(subjects, false), gains]]
  const who = (first.below ?? []).slice(0, (first.stands ?? 1) - 1).slice(0, 1)
  return { ...first, cells, below: who }
}

const weightOf = ({ sign }: AccessForm): Weight => (sign === '-' ? 'loss' : 'news')

const administers = ({ isAdministrator }: Right, { sign }: AccessForm): boolean =>
  isAdministrator && (sign === '+' || sign === '?')

function whoOf([who = '', ...others]: readonly string[], isBold: boolean): Inline {
  if (others.length > 0) return words(formatCount(others.length + 1, 'account'), 'strong')
  return name(who, isBold ? 'strong' : undefined)
}

function doubtTexts(way: Way, group: AccessGroup, form: AccessForm): Text[] {
  const parts = [form.perhaps ?? '', doubtSaid(way, group, form)].filter((said) => said !== '')
  return parts.length === 0 ? [] : [ticked(parts.join(': '))]
}

/** It comes by another way, and for certain: nobody gains or loses anything by that. */
const staysAlike = ({ group, form }: { readonly group: AccessGroup; readonly form: AccessForm }): boolean =>
  form.effect === 'keep' && group.ways.every((way) => doubtSaid(way, group, form) === '')

const accounts = ['account', 'accounts'] as const
const headings = ['who', 'level', 'on', 'how'] as const

/** What somebody can do, whole. */
export function heldBlocks(entries: readonly AccessEntry[]): Block[] {
  const form: AccessForm = { ...sure, effect: 'keep', sign: '•', tone: 'strong', tag: 'access' }
  const rows = groupAccess(entries).flatMap((group) => rowsOf(group, form))
  return table(rows, { headings, noun: accounts })
}

/** `brief`: what one loses and another gains is told once. */
export function accessBlocks(plan: PlanDocument, drift: boolean, brief = false): Block[] {
  const { access } = plan
  if (access === undefined) return []
  const events = accessEvents(access)
  const its = formsOf(plan, events, drift)
  const those = ({ effect, certain }: Pick<AccessForm, 'effect' | 'certain'>) =>
    events.flatMap((event) => (event.effect === effect && event.certain === certain ? event.entry : []))
  const groups = its.flatMap((form) => groupAccess(those(form)).map((group) => ({ group, form })))
  const [kept, told] = [true, false].map((stays) => groups.filter((each) => staysAlike(each) === stays))
  const rowsIn = (some: typeof groups = []) =>
    some.flatMap(({ group, form }) => {
      const isCounterpart = (each: (typeof groups)[number]): boolean =>
        each.group.key === group.key && each.form.effect === 'gain' && each.form.certain
      const isSure = brief && !drift && form.effect === 'lose' && form.certain
      const gainer = isSure ? groups.find(isCounterpart) : undefined
      const rows = rowsOf(group, form)
      return gainer === undefined || rows.length === 1 ? rows : [sameRow(rows, gainer.group, form)]
    })
  const keepers = kept?.reduce((sum, { group }) => sum + group.subjects.length, 0) ?? 0
  const { gained, lost, changed, unknown } = access.more
  const counts = [
    [gained, 'gained'],
    [lost, 'lost'],
    [changed, 'kept by other ways'],
    [unknown, 'unsure'],
  ] as const
  const uncounted = counts.flatMap(([count, said]) =>
    count > 0 ? [`${formatCount(count, 'more level')} ${said}`] : [],
  )
  const closed = events.flatMap((event) => (isUnread(event) ? event.entry.address : []))
  return section(
    drift ? 'Access that nobody declared (+), or that is missing (-)' : 'Access',
    'strong',
    [
      ...table(rowsIn(told), { headings, noun: accounts }),
      ...fold(
        `By another way than ${drift ? 'declared' : 'before'}: ${formatCount(keepers, 'account')}`,
        table(rowsIn(kept), { headings, noun: accounts }),
      ),
      ...(uncounted.length === 0 ? [] : [note(`… and ${uncounted.join(', ')}: only counted`, 'faint')]),
      ...(closed.length === 0 ? [] : [note(['Not known who can do what on:', names(closed)], undefined, '?')]),
      ...licenceBlocks(access),
      ...accessDriftBlocks(plan),
    ],
    ['administrator-gained', 'access-gained', 'licence-missing', 'access-lost'],
  )
}

function licenceBlocks({ licences }: AccessDocument): Block[] {
  if (licences === undefined || licences.missing === 0) return []
  const { accounts, missing } = licences
  const rest = missing - accounts.length
  const more = rest > 0 ? [`and ${formatCount(rest, 'more account')}`] : []
  return [note(['Hold no licence:', names(accounts), ...more], undefined, '!')]
}

function licencesSaid({ licences }: AccessDocument): string {
  if (licences === undefined) return ''
  const { missing, requests, unread } = licences
  const cost = missing > 0 && requests > 0 ? `To look at licences took ${formatCount(requests, 'more request')}.` : ''
  const why = unread === null ? '' : `Not read: licences of those who gain access (${unread}).`
  return [cost, why].filter((said) => said !== '').join(' ')
}

/** Of what counts and nobody looked at; empty: nothing does, or everything was read. */
function unlookedSaid({ access, accessDrift, base }: PlanDocument): string {
  // An undo looks at no manifest.
  const isUndo = base?.from === 'journal'
  switch (accessDrift === undefined ? access?.unlooked : undefined) {
    case 'people':
      return 'Not read: who gains and who loses access, since the project file says `access: none`.'
    case 'groups':
      return isUndo
        ? `Not read: what groups hold on other objects, and substitutions (\`access: full\` reads them).`
        : `Not read: what groups hold on undeclared objects (\`access: full\` reads it).`
    case 'represented':
      return `Not read: what people with a substitute hold on undeclared objects (\`access: full\` reads it).`
    case 'stand-ins':
      return standInsSaid(isUndo)
    default:
      return ''
  }
}

export function accessNotes(plan: PlanDocument): string[] {
  const { access, accessDrift } = plan
  if (access === undefined) return []
  const unread = holdsAccess(access) && accessDrift === undefined ? unreadSaid(access) : ''
  const { mode, requests } = access
  const whole = mode === 'full' && requests !== undefined && accessDrift === undefined ? requestsSaid(requests) : ''
  const between = mode === 'declared' ? betweenSaid(access) : ''
  const sentences = [unread, between, licencesSaid(access), unlookedSaid(plan), whole]
  return sentences.filter((sentence) => sentence !== '')
}

/** Empty: svcsync looked for no account that no manifest declares. */
function betweenSaid({ requests = 0 }: AccessDocument): string {
  return requests === 0 ? '' : `To look through undeclared groups took ${formatCount(requests, 'more request')}.`
}

function unreadSaid({ unread, unknown }: AccessDocument): string {
  if (unread === 0) return ''
  const [groups, their] = byCount(unread, ['a group', 'its'], ['groups', 'their'])
  const open = unknown.flatMap(({ subject, unseen, perhapsGroup }) => (perhapsGroup ? subject : unseen) ?? [])
  const { shown, note: rest } = foldNames([...new Set(open)].sort(), '+')
  const named = shown.length === 0 ? '' : `: ${[...shown, ...(rest === '' ? [] : [rest])].join(', ')}`
  return `${formatCount(unread, 'account')} may be ${groups}; svcsync did not read ${their} members${named}.`
}
