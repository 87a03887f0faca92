// Words the gains and losses of a plan, through groups too: by person, or by group if many are alike.
import type { AccessDocument, AccessEntry, AccessEvent, AccessPath } from '@svcsync/core/access/describe-access.ts'
import { accessEvents, isUnread, throughChain } from '@svcsync/core/access/describe-access.ts'
import type { Substitution } from '@svcsync/core/access/graph-model.ts'
import { spokenNames } from '@svcsync/core/model/address.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { inCode } from '@svcsync/errors/index.ts'
import type { Block, Inline, Row, Sign, Text } from '../blocks/block.ts'
import { fold, name, names, note, parseBackticks, section, table, words } from '../blocks/block.ts'
import { byCount, formatCount } from '../text/counts.ts'
import type { Tone } from '../text/line.ts'
import { accessDriftBlocks } from './access-drift.ts'
import { isDeclaredAlone, licenceBlocks } from './access-notes.ts'

interface AccessGroup {
  /** The same of those to whom the same happens otherwise: one loses what the other gains. */
  readonly key: string
  /** The key if they had no other levels on the objects. */
  readonly plainKey: string
  readonly subjects: readonly string[]
  readonly ways: readonly ShownPath[]
}

interface ShownPath extends AccessPath {
  readonly perhapsGroup?: true
  /** If several ways are worded as one: groups that carry only some of the rights. */
  readonly further?: readonly string[]
  readonly rights: readonly PathRight[]
}

interface PathRight {
  readonly levels: string
  readonly addresses: readonly string[]
  readonly isAdministrator: boolean
}

interface AccessForm extends Pick<AccessEvent, 'effect' | 'certain'> {
  readonly sign: Sign
  readonly tone: Tone
  readonly perhaps?: string
  /** The possible action of an account that nobody can see. */
  readonly doubt: string
  /** Before other levels of the account on the object. */
  readonly stays: string
  readonly tag: string
  /** The time of the statement; absent: irrelevant. */
  readonly nowMs?: number
  /** Accounts that the platform does not have. */
  readonly strangers?: ReadonlySet<string>
  readonly nameOf?: ReturnType<typeof spokenNames>
  /** For access through other groups: the words in front of them. */
  readonly instead?: 'no longer' | 'not, as declared,'
}

const certainForm = { certain: true, doubt: '', stays: 'keeps' } as const
const uncertainForm = { ...certainForm, certain: false, sign: '?', tone: 'warning', tag: 'access unsure' } as const

const forms: readonly AccessForm[] = [
  // Plans of before tell a doubt here.
  { ...certainForm, effect: 'gain', sign: '+', tone: 'add', doubt: 'may have it already', tag: 'access gained' },
  { ...uncertainForm, effect: 'gain', perhaps: 'may gain it', doubt: 'may have it already' },
  { ...certainForm, effect: 'lose', sign: '-', tone: 'remove', tag: 'access lost' },
  { ...uncertainForm, effect: 'lose', perhaps: 'may lose it', doubt: 'may keep it' },
  { ...certainForm, effect: 'keep', sign: '~', tone: 'change', instead: 'no longer', tag: 'access kept' },
]

/** The live state against the declarations: an entry that healing would remove is undeclared. */
const driftForms: readonly AccessForm[] = [
  { ...certainForm, effect: 'lose', sign: '+', tone: 'add', tag: 'access undeclared' },
  // The access itself was seen; only a declaration for it is uncertain.
  { ...uncertainForm, effect: 'lose', perhaps: 'has it, perhaps undeclared', doubt: 'may have it as declared' },
  { ...certainForm, effect: 'gain', sign: '-', tone: 'remove', doubt: 'may have it', tag: 'access missing' },
  { ...uncertainForm, effect: 'gain', perhaps: 'may lack it', doubt: 'may have it' },
  { ...certainForm, effect: 'keep', sign: '~', tone: 'change', instead: 'not, as declared,', tag: 'access kept' },
]

/** With the time of the plan, since a future substitution gives nothing yet. */
function formsOf(
  { createdAt, warnings }: PlanDocument,
  events: readonly AccessEvent[],
  drift: boolean,
): readonly AccessForm[] {
  const nameOf = spokenNames(events.flatMap(({ entry: { address, kind } }) => (kind === 'owner' ? [] : address)))
  if (drift) return driftForms.map((form) => ({ ...form, stays: 'beside', nameOf }))
  const strangers = new Set(warnings.flatMap(({ account }) => account ?? []))
  const nowMs = Date.parse(createdAt)
  return forms.map((form) => ({ ...form, nameOf, strangers, ...(form.effect === 'keep' && { nowMs }) }))
}

/** Without other levels that a row tells, or a level for all companies takes in: those that are left stay. */
function withoutRepeatedLevels(events: readonly AccessEvent[], drift: boolean): readonly AccessEvent[] {
  const keyOf = ({ subject, address }: AccessEntry, { level, company }: Pick<AccessEntry, 'level' | 'company'>) =>
    JSON.stringify([subject, address, level, company])
  const changed = new Set(events.flatMap(({ effect, entry }) => (effect === 'keep' ? [] : keyOf(entry, entry))))
  const given = new Set(events.flatMap(({ effect, entry }) => (effect === 'gain' && !drift ? keyOf(entry, entry) : [])))
  return events.map((event): AccessEvent => {
    const { others = [], ...entry } = event.entry
    const isTold = (other: (typeof others)[number]): boolean =>
      changed.has(keyOf(entry, other)) || given.has(keyOf(entry, { ...other, company: null }))
    const stay = others.filter((other) => !isTold(other))
    return { ...event, entry: stay.length === 0 ? entry : { ...entry, others: stay } }
  })
}

function levelsOf(held: readonly AccessEntry[], verb: string): string {
  const others = [...new Set(held.flatMap((entry) => (entry.others ?? []).map(levelOf)))].join(', ')
  return `${held.map(levelOf).join(', ')}${others === '' ? '' : ` (${verb} ${others})`}`
}

function levelOf({ level, company, untold }: Pick<AccessEntry, 'level' | 'company' | 'untold'>): string {
  const limit = untold === undefined ? company : 'company not told'
  return `${level ?? 'a level that is not told'}${limit === null ? '' : ` (${limit})`}`
}

/** By account, in the order of the entries. `brief`: joins the access through one group. */
function groupAccess(entries: readonly AccessEntry[], { effect, stays }: AccessForm, brief = false): AccessGroup[] {
  const people = groupBy(
    entries.filter(({ subject }) => subject !== null),
    ({ subject }) => subject,
  )
  const keyOf = (own: readonly AccessEntry[], isPlain = false): string =>
    JSON.stringify(
      own.map((entry) => {
        const { subject, level, address, company, kind, unseen, others } = entry
        const way = pathKey(unseen === subject ? { ...entry, unseen: '' } : entry)
        return [level, address, company, kind, isPlain ? undefined : others && [effect, others], ...way]
      }),
    )
  return [...groupBy([...people.values()], (own) => keyOf(own))].map(([key, group]) => {
    const [own] = group as [AccessEntry[]]
    const subjects = group.map(([entry]) => entry?.subject ?? '')
    return {
      ...{ key, subjects, ways: groupByPath(own, stays, brief) },
      // Only a comparison of gains and losses asks for it.
      get plainKey() {
        return keyOf(own, true)
      },
    }
  })
}

const pathKey = ({ via, skipped, before, unseen, substitutions, substitutionsBefore }: AccessPath): unknown[] => [
  ...[via, skipped, before, unseen, substitutions, substitutionsBefore],
]

const isAdministering = ({ level, kind }: AccessEntry): boolean => level === 'Administrator' && kind !== 'owner'

/** Objects on which the levels are the same stand together. */
function groupByPath(entries: readonly AccessEntry[], verb: string, brief: boolean): ShownPath[] {
  const ways = groupBy(entries, (entry) => JSON.stringify(brief && isPlain(entry) ? entryKey(entry) : pathKey(entry)))
  return [...ways.values()].map((own) => {
    const [entry] = own as [AccessEntry]
    const objects = [...groupBy(own, ({ address }) => address)]
    const alike = groupBy(objects, ([, held]) => levelsOf(brief ? distinctLevels(held) : held, verb))
    const rights = [...alike].map(([levels, of]): PathRight => {
      const isAdministrator = of.some(([, held]) => held.some(isAdministering))
      return { levels, addresses: of.map(([address]) => address), isAdministrator }
    })
    return { ...entry, ...(brief && isPlain(entry) && chainOf(own)), rights }
  })
}

/** Through groups alone. */
const isPlain = ({ via, skipped, before, substitutions }: AccessPath): boolean =>
  via.length > 0 && (skipped ?? before ?? substitutions) === undefined

const entryKey = ({ via, unseen, perhapsGroup }: AccessEntry): readonly unknown[] => [via[0], unseen, perhapsGroup]

/** Each level once, and without a company where it holds for all of them. */
function distinctLevels(held: readonly AccessEntry[]): readonly AccessEntry[] {
  const isWhole = ({ company, untold }: AccessEntry): boolean => company === null && untold === undefined
  const whole = new Map(held.filter(isWhole).map((entry) => [entry.level, entry]))
  return [...whole.values(), ...held.filter((entry) => !isWhole(entry) && !whole.has(entry.level))]
}

/** Groups that all ways have in common, and the others. */
function chainOf(ways: readonly Pick<ShownPath, 'via' | 'further'>[]): Required<Pick<ShownPath, 'via' | 'further'>> {
  const [first = []] = ways.map(({ via }) => via)
  const via = first.filter((group) => ways.every((way) => way.via.includes(group)))
  const others = ways.flatMap((way) => [...way.via.filter((group) => !via.includes(group)), ...(way.further ?? [])])
  return { via, further: [...new Set(others)] }
}

function describePath(way: ShownPath, { instead }: AccessForm): string {
  const through = (by: AccessPath): string => throughChain(by, inCode) || 'directly'
  const { before, substitutionsBefore: substitutions, further = [] } = way
  if (further.length > 0) return `${through(way)} (${describeFurtherGroups(further)})`
  if (before === undefined || instead === undefined) return through(way)
  // A plan shows the new way; drift shows the missing one.
  const both = [through(way), through({ via: before, ...(substitutions && { substitutions }) })]
  const [now, other] = instead === 'no longer' ? both : both.reverse()
  return `${now}, and ${instead} ${other}`
}

const describeFurtherGroups = ([group = '', ...others]: readonly string[]): string =>
  `in part through ${others.length === 0 ? inCode(group) : formatCount(others.length + 1, 'more group')}`

function describeDoubt(
  { unseen, perhapsGroup, substitutions = [], substitutionsBefore = [] }: ShownPath,
  { subjects }: AccessGroup,
  form: AccessForm,
): string {
  const beginsLater = ({ from }: Substitution): boolean => Date.parse(from) > (form.nowMs ?? Number.POSITIVE_INFINITY)
  const [last] = substitutions.filter(beginsLater).sort((a, b) => (a.from < b.from ? 1 : -1))
  const because = (why: string): string => (form.perhaps === undefined ? why : `${form.perhaps}: ${why}`)
  if (last !== undefined && !substitutionsBefore.some(beginsLater))
    return because(`not until ${last.from.slice(0, 10)}: the substitution begins then`)
  const isStranger = (svcId: string) => form.strangers?.has(svcId) === true
  if (form.effect === 'gain' && subjects.every(isStranger)) return because('the platform has no such user or group')
  if (unseen === undefined)
    return perhapsGroup ? because('the account may be a group whose members svcsync cannot read') : (form.perhaps ?? '')
  if (subjects.includes(unseen)) return because('the platform omits the level or business entity held now')
  const exists = isStranger(unseen) ? 'exists and is' : 'is'
  return `${form.doubt}, if ${inCode(unseen)} ${exists} a group with this account`
}

/** One row for each way and level; of several rows with the same people, the first represents them. */
function rowsOf(group: AccessGroup, form: AccessForm, isWayTold = false, about: readonly Text[] = []): Row[] {
  const rights = group.ways.flatMap((way) => way.rights.map((right) => ({ way, right })))
  // An Administrator is always shown.
  const isGrave = form.sign === '-' || rights.some(({ right }) => administers(right, form))
  const lastWay = group.ways.at(-1)
  return rights.map(({ way, right }, index): Row => {
    const isBold = administers(right, form)
    return {
      sign: form.sign,
      tone: form.tone,
      // Made when they are printed: of thousands nobody looks at most.
      get cells() {
        return [
          [accountNames(group.subjects, isBold)],
          [words(right.levels, isBold ? 'strong' : form.tone)],
          [names(right.addresses.map(form.nameOf ?? ((address) => address)), weightOf(form))],
        ]
      },
      get below() {
        return [
          ...(index === 0 && group.subjects.length > 1 ? [['who:', names(group.subjects, weightOf(form))]] : []),
          ...(isWayTold && isPlain(way) ? [] : [parseBackticks(describePath(way, form))]),
          ...doubtTexts(way, group, form),
          ...(way === lastWay ? about : []),
        ]
      },
      isGrave,
      stands: index === 0 ? group.subjects.length : 0,
      tags: [form.tag, ...(isBold ? ['administrators'] : [])],
    }
  })
}

/** In place of the rows of somebody who loses what others gain. `both`: what may be gained, too. */
function swapRow(rows: readonly Row[], { subjects }: AccessGroup, { tone, certain }: AccessForm, both: boolean): Row {
  const [first] = rows as [Row]
  const surely = byCount(subjects.length, 'gains', 'gain')
  const gains = !certain ? 'may gain' : both ? `${surely} or may gain` : surely
  const cells = [first.cells[0] as Text, [words('all', tone), 'that', accountNames(subjects, false), gains]]
  const who = (first.below ?? []).slice(0, (first.stands ?? 1) - 1).slice(0, 1)
  return { ...first, cells, below: who }
}

const weightOf = ({ sign }: AccessForm) => (sign === '-' ? 'loss' : 'news')

const administers = ({ isAdministrator }: PathRight, { sign }: AccessForm): boolean =>
  isAdministrator && (sign === '+' || sign === '?')

function accountNames([who = '', ...others]: readonly string[], isBold: boolean): Inline {
  if (others.length > 0) return words(formatCount(others.length + 1, 'account'), 'strong')
  return name(who, isBold ? 'strong' : undefined)
}

function doubtTexts(way: ShownPath, group: AccessGroup, form: AccessForm): Text[] {
  const doubt = describeDoubt(way, group, form)
  return doubt === '' ? [] : [parseBackticks(doubt)]
}

/** It comes by another way, and for certain: nobody gains or loses anything by that. */
const isUnaffected = ({ group, form }: { readonly group: AccessGroup; readonly form: AccessForm }): boolean =>
  form.effect === 'keep' && group.ways.every((way) => describeDoubt(way, group, form) === '')

const columns = { headings: ['who', 'level', 'on', 'how'], joints: ['', 'on'], noun: ['account', 'accounts'] } as const

export function heldBlocks(entries: readonly AccessEntry[]): Block[] {
  const form: AccessForm = { ...certainForm, effect: 'keep', sign: '•', tone: 'strong', tag: 'access' }
  const rows = groupAccess(entries, form).flatMap((group) => rowsOf(group, form))
  return table(rows, columns)
}

interface FormGroup {
  readonly group: AccessGroup
  readonly form: AccessForm
}

interface AccessSwap {
  readonly gainer: AccessGroup
  readonly losses: readonly FormGroup[]
}

/** Losses of rights that other accounts gain, so that both are worded once: the sure loss comes first. */
function findSwaps(all: readonly FormGroup[]): ReadonlyMap<FormGroup, AccessSwap> {
  const keyOf = ({ certain }: AccessForm, key: string) => `${certain} ${key}`
  const of = (effect: AccessForm['effect']) => all.filter(({ form }) => form.effect === effect)
  const gainers = new Map(of('gain').map(({ group, form }) => [keyOf(form, group.plainKey), group]))
  const lost = of('lose').flatMap((loss) => {
    const gainer = gainers.get(keyOf(loss.form, loss.group.key))
    return gainer === undefined ? [] : [{ told: loss, gainer }]
  })
  const pairs = groupBy(lost, ({ told, gainer }) => JSON.stringify([told.group.subjects, gainer.subjects]))
  return new Map(
    [...pairs.values()].flatMap((own) => {
      const losses = own.map(({ told }) => told)
      return own.map(({ told, gainer }) => [told, { gainer, losses }] as const)
    }),
  )
}

/** By which way most of it comes, if by one: said once, above. */
function mostCommonPath(groups: readonly FormGroup[]): ShownPath | undefined {
  const all = groups.flatMap(({ group }) => group.ways)
  const ways = all.filter(isPlain)
  const [first] = ways
  if (first === undefined || ways.length * 2 <= all.length) return undefined
  const chain = chainOf(ways)
  return chain.via.length === 0 ? undefined : { ...first, ...chain }
}

/** `brief`: joins what one person loses and another gains. */
export function accessBlocks(plan: PlanDocument, drift: boolean, brief = false): Block[] {
  const { access } = plan
  if (access === undefined) return []
  const events = withoutRepeatedLevels(accessEvents(access), drift)
  const its = formsOf(plan, events, drift)
  const those = ({ effect, certain }: Pick<AccessForm, 'effect' | 'certain'>) =>
    events.flatMap((event) => (event.effect === effect && event.certain === certain ? event.entry : []))
  const groups = its.flatMap((form) =>
    groupAccess(those(form), form, brief).map((group): FormGroup => ({ group, form })),
  )
  const [kept = [], told = []] = [true, false].map((stays) => groups.filter((each) => isUnaffected(each) === stays))
  const way = brief && !drift ? mostCommonPath(told) : undefined
  const unlicensed = brief ? unlicensedIn(access, told) : undefined
  const swaps = brief && !drift ? findSwaps(groups) : new Map<FormGroup, AccessSwap>()
  const rowsIn = (some: readonly FormGroup[], isWayTold = false) =>
    some.flatMap((each) => {
      const { group, form } = each
      const rows = rowsOf(group, form, isWayTold, group === unlicensed ? [[words('holds no licence', 'strong')]] : [])
      const { gainer, losses = [] } = swaps.get(each) ?? {}
      if (gainer === undefined || (rows.length === 1 && losses.length === 1 && form.certain)) return rows
      return losses[0] === each ? [swapRow(rows, gainer, form, losses.length > 1)] : []
    })
  const keepers = kept.reduce((sum, { group }) => sum + group.subjects.length, 0)
  const { gained, lost, changed, unknown } = access.more
  const counts = [
    [gained, drift ? 'missing' : 'gained'],
    [lost, drift ? 'undeclared' : 'lost'],
    [changed, 'kept by other ways'],
    [unknown, 'unsure'],
  ] as const
  const uncounted = counts.flatMap(([count, phrase]) =>
    count > 0 ? [`${formatCount(count, 'more level')} ${phrase}`] : [],
  )
  const closed = events.flatMap((event) => (isUnread(event) ? event.entry.address : []))
  const title = isDeclaredAlone(plan) ? 'Access to declared objects' : 'Access'
  return section(
    drift ? driftTitle(told) : title,
    'strong',
    [
      ...table(rowsIn(told, way !== undefined), columns),
      ...fold(
        `By another way than ${drift ? 'declared' : 'before'}: ${formatCount(keepers, 'account')}`,
        table(rowsIn(kept), columns),
      ),
      ...(uncounted.length === 0 ? [] : [note(`… and ${uncounted.join(', ')}: only counted`, 'faint')]),
      ...(closed.length === 0 ? [] : [note(['Not known who can do what on:', names(closed)], undefined, '?')]),
      ...(unlicensed === undefined ? licenceBlocks(access) : []),
      ...accessDriftBlocks(plan),
    ],
    ['administrator-gained', 'access-gained', 'licence-missing', 'access-lost', 'level-lost'],
    way && parseBackticks(describePath(way, its[0] as AccessForm)),
  )
}

const driftTitle = (groups: readonly FormGroup[]): string =>
  groups.some(({ form }) => form.effect === 'gain') ? 'Access: undeclared (+) and missing (-)' : 'Undeclared access'

/** The only account without a licence, if its rows can say so. */
function unlicensedIn({ licences }: AccessDocument, groups: readonly FormGroup[]): AccessGroup | undefined {
  if (licences?.missing !== 1) return undefined
  const gains = groups.filter(({ form, group }) => form.effect === 'gain' && group.subjects.length === 1)
  return gains.find(({ group }) => group.subjects[0] === licences.accounts[0])?.group
}
