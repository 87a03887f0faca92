// Divides changes into sections, the most dangerous first. Each change is in exactly one.
import { showElement } from '@svcsync/core/model/elements.ts'
import { append, groupBy } from '@svcsync/core/model/group-by.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type { NoLongerDeclared, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Block, Row, Sign, Text } from '../blocks/block.ts'
import { name, names, note, section, table, words } from '../blocks/block.ts'
import { capitalise } from '../problems/problem-sentences.ts'
import { formatCount } from '../text/counts.ts'
import type { Tone } from '../text/line.ts'
import { countEnded, isAmong, type ShownPlan, selectSide } from './by-cause.ts'
import { differencesOf } from './difference-rows.ts'
import { causeWords, driftMarks, driftVerbs } from './drift-words.ts'
import { type ReviewedChange, reviewChanges } from './reviewed-change.ts'

interface ChangeForm {
  /** Says what was found on the platform, not what is to be done about it. */
  readonly drift: boolean
  /** Only what takes away or is set anew: the report that follows has the rest. */
  readonly short?: boolean | undefined
  /** Rows omit the facts that their title states. */
  readonly brief?: boolean | undefined
}

export function nounOf(kind: string): readonly [string, string] {
  const word = kind.replaceAll('-', ' ')
  return [word, `${word}${word.endsWith('s') ? 'es' : 's'}`]
}

interface ChangeCategory {
  readonly title: string
  readonly tone: Tone
  readonly weight: Block<'table'>['weight']
  readonly tag: string
  readonly about: readonly string[]
  readonly heals?: string
  /** The title where no manifest declares any more what goes. */
  readonly undeclared?: string
  readonly holds: (change: ReviewedChange) => boolean
}

/** Somebody or something loses what was there; of drift: was given what nobody declares. */
export const takesAway = (change: Pick<ReviewedChange, 'action' | 'differences'>): boolean =>
  change.action !== 'create' &&
  (change.action === 'delete' || change.differences.some(({ removed = [] }) => removed.length > 0))

/**
 * An entry with settings may replace one that allowed more, one about an object limit what held everywhere, and what
 * ends end sooner: nobody may say that it takes nothing away.
 */
function replacesAccess({ action, differences }: ReviewedChange): boolean {
  return differences.some(
    ({ path, added = [] }) =>
      (action === 'update' && (path === 'to' || added.some(({ about }) => about !== undefined))) ||
      added.some(({ settings }) => settings !== undefined),
  )
}

/** Finds changes that take access away or that guards refuse, and new Administrators if the plan reads no access. */
function createGraveTest({ guards, access }: PlanDocument): (change: ReviewedChange) => boolean {
  const refused = new Set(guards.flatMap(({ verdict, addresses }) => (verdict === 'refused' ? addresses : [])))
  const isSilent = access === undefined || access.mode === 'none'
  const administers = ({ differences }: ReviewedChange): boolean =>
    differences.some(({ added = [] }) => added.some(({ level }) => level === 'Administrator'))
  return (change) => takesAway(change) || refused.has(change.address) || (isSilent && administers(change))
}

const isAction =
  (wanted: ReviewedChange['action']) =>
  ({ action }: ReviewedChange): boolean =>
    action === wanted

function category(
  title: string,
  tag: string,
  [tone, weight]: readonly [Tone, Block<'table'>['weight']],
  rest: Pick<ChangeCategory, 'about' | 'holds'>,
) {
  return { title, tag, tone, weight, ...rest }
}

const aboutChanged = ['changed']

const planCategories: readonly ChangeCategory[] = [
  category('Deletes', 'deleted', ['remove', 'loss'], { about: ['deleted'], holds: isAction('delete') }),
  {
    ...category('Removes', 'removed', ['remove', 'loss'], { about: ['taken-away'], holds: takesAway }),
    undeclared: 'Removes entries no longer declared',
  },
  category('Updates', 'updated', ['change', 'news'], { about: aboutChanged, holds: isAction('update') }),
  category('Creates', 'created', ['add', 'bulk'], { about: aboutChanged, holds: isAction('create') }),
]

function driftCategories(isKnown: boolean): readonly ChangeCategory[] {
  const { object, entry, value } = causeWords(isKnown)
  const undeclared = { about: ['deleted'], holds: isAction('delete') }
  const missing = { about: aboutChanged, holds: isAction('create') }
  const changed = { about: aboutChanged, holds: isAction('update') }
  const isOver = ({ action, ended }: ReviewedChange): boolean => action === 'delete' && ended !== undefined
  const over = 'whose time is over'
  return [
    {
      ...category(`Objects ${over}`, 'ended', ['add', 'loss'], { about: ['deleted'], holds: isOver }),
      heals: 'deletes',
    },
    { ...category(capitalise(object.undeclared), 'undeclared', ['add', 'loss'], undeclared), heals: 'deletes' },
    {
      ...category(`Entries ${entry.added}`, 'added', ['add', 'loss'], { about: ['taken-away'], holds: isAdded }),
      heals: 'removes',
    },
    {
      ...category(`Entries ${over}`, 'ended', ['add', 'loss'], { about: ['taken-away'], holds: hasOnlyEnded }),
      heals: 'removes',
    },
    category(capitalise(value), 'changed', ['change', 'news'], changed),
    { ...category(`Missing: ${object.missing}`, 'missing', ['remove', 'news'], missing), heals: 'creates' },
  ]
}

/** Somebody got in whom nobody listed: without those who are listed for a time that is over or has not begun. */
function isAdded({ differences }: ReviewedChange): boolean {
  return differences.some(({ removed = [], outsideTime = [] }) =>
    removed.some((element) => !isAmong(element, outsideTime)),
  )
}

/** Nobody's hand: time alone ended the entries, and no apply has removed them. */
function hasOnlyEnded({ action, differences }: ReviewedChange): boolean {
  return (
    action === 'update' &&
    differences.every((each) => each.added?.length === 0 && each.removed?.length === countEnded(each))
  )
}

/** Changes made on the platform come first, apart from the changes of this plan. Drift has one part. */
export function changeSections(
  plan: ShownPlan,
  reviewed: readonly ReviewedChange[],
  form: ChangeForm,
  since: string,
): Block[] {
  const { base } = plan
  if (form.drift) {
    const isKnown = Boolean(base)
    return categorySections(plan, reviewed, driftCategories(isKnown), form)
  }
  if (!base) return categorySections(plan, reviewed, planCategories, form)
  const byHand = (['both', 'live'] as const).flatMap((side) => {
    const own = selectSide(plan, side)
    const which = side === 'both' ? ', where the manifests changed as well' : ''
    const title = `Reverts changes made on the platform since ${since}${which}`
    const reverted = category(title, 'reverted', ['warning', 'news'], { about: ['overwritten'], holds: () => true })
    return categorySections(own, reviewChanges(own), [reverted], { ...form, isByHand: true })
  })
  const own = selectSide(plan, 'declared')
  const declared = reviewChanges(own)
  const [deletes = [], ...rest] = planCategories.map((part) =>
    categorySections(own, declared, [part], form, planCategories),
  )
  return [...deletes, ...byHand, ...rest.flat()]
}

const minBulkRows = 10

function categorySections(
  plan: ShownPlan,
  changes: readonly ReviewedChange[],
  parts: readonly ChangeCategory[],
  form: ChangeForm & { readonly isByHand?: boolean },
  all: readonly ChangeCategory[] = parts,
): Block[] {
  const { drift, short = false, brief: isBrief = false, isByHand = false } = form
  // A creation overwrites nobody's edit.
  const isGrave = isByHand ? ({ action }: ReviewedChange) => action !== 'create' : createGraveTest(plan)
  const undeclared = undeclaredByAddress(plan)
  return parts.flatMap((part) => {
    const own = changes.filter((change) => all.find(({ holds }) => holds(change)) === part)
    if (own.length === 0) return []
    const brief = own.filter((change) => (isByHand ? isGrave(change) : replacesAccess(change)))
    const isCut = short && part.weight !== 'loss' && own.length - brief.length > minBulkRows
    const shown = isCut ? brief : own
    const byKind = groupBy(shown, ({ kind }) => kind)
    const isTold = isBrief && part.undeclared !== undefined && shown.every((each) => isOnlyUndeclared(each, undeclared))
    const kinds = [...new Set([...Object.keys(plan.kinds), ...byKind.keys()])]
    const tables = kinds.flatMap((kind) => {
      const rows = (byKind.get(kind) ?? []).map((change) => {
        const row = changeRow(change, part, drift, isGrave, isTold ? none : undeclared)
        return isTold ? rowAtBase(row, change, plan) : row
      })
      return table(rows, { title: plan.kinds[kind] ?? kind, noun: nounOf(kind), weight: part.weight })
    })
    const left = own.length - shown.length
    const more = formatCount(left, shown.length > 0 ? 'more object' : 'object')
    const cut = left === 0 ? [] : [note(`${more}, listed after the apply, or with --verbose`, 'faint')]
    const those = shown.length === 1 && part.heals !== 'removes' ? 'it' : 'them'
    const said =
      part.heals === undefined || shown.length === 0 ? [] : [note(`Healing ${part.heals} ${those}.`, 'faint')]
    return section((isTold && part.undeclared) || part.title, part.tone, [...said, ...tables, ...cut], part.about)
  })
}

/** A change of what no manifest names any more has its place at the base; after it, nobody manages that. */
function rowAtBase(row: Row, { address }: ReviewedChange, { noLongerDeclared = [], weakened = [] }: ShownPlan): Row {
  const isLeft = weakened.some((each) => each.what === 'object' && each.address === address)
  const place = row.place ?? noLongerDeclared.find((each) => each.address === address)?.place
  return { ...row, place, below: isLeft ? ['no longer managed'] : [] }
}

const none: ReadonlyMap<string, NoLongerDeclared[]> = new Map()

/** All that is taken away is no longer declared, for no other reason than its line. */
function isOnlyUndeclared(
  { address, differences }: ReviewedChange,
  all: ReadonlyMap<string, NoLongerDeclared[]>,
): boolean {
  const undeclared = all.get(address) ?? []
  const left = new Set(undeclared.map(({ path, element }) => JSON.stringify([path, element && showElement(element)])))
  const isLeft = (path: string) => (element: Element) => left.has(JSON.stringify([path, showElement(element)]))
  return (
    undeclared.every(({ reason }) => reason === undefined) &&
    differences.every(({ path, removed = [] }) => removed.every(isLeft(path)))
  )
}

/** The fate of an undeclared entry is shown with the change that causes it. */
function undeclaredByAddress({ noLongerDeclared = [], pending }: ShownPlan): ReadonlyMap<string, NoLongerDeclared[]> {
  const byAddress = new Map<string, NoLongerDeclared[]>()
  if (pending !== undefined) return byAddress
  for (const each of noLongerDeclared) if (each.becomes !== 'kept') append(byAddress, each.address, each)
  return byAddress
}

export const changeMarks: Readonly<Record<ReviewedChange['action'], Sign>> = { create: '+', update: '~', delete: '-' }

function changeRow(
  change: ReviewedChange,
  part: ChangeCategory,
  drift: boolean,
  isGrave: (change: ReviewedChange) => boolean,
  gone: ReadonlyMap<string, NoLongerDeclared[]>,
): Row {
  const { address, action, kind, place, prunedBy, ended, differences } = change
  const undeclared = prunedBy === undefined ? 'declared nowhere' : `declared nowhere, pruned by \`${prunedBy}\``
  const absent =
    drift && place !== undefined ? [`declared absent: ${causeWords(Boolean(change.cause)).object.absent}`] : []
  const over = ended === undefined ? undefined : [`ended ${ended.shown}`]
  const why = action !== 'delete' ? [] : (over ?? (drift ? absent : place === undefined ? [undeclared] : []))
  const dangers = takesAway(change) ? ['takes away'] : []
  return {
    sign: (drift ? driftMarks : changeMarks)[action],
    cells: [[name(address)]],
    place,
    isGrave: isGrave(change),
    id: address,
    // A part may be called as what was found: on a page each is counted once.
    tags: [...new Set([part.tag, kind, ...dangers, ...(drift ? [driftVerbs[action]] : [])])],
    below: [...why, ...undeclaredTexts(gone.get(address) ?? [])],
    ...differencesOf(differences, { creating: action === 'create', place, fromDeclared: drift }),
  }
}

function undeclaredTexts(entries: readonly NoLongerDeclared[]): Text[] {
  const what = ({ element, path = '' }: NoLongerDeclared): string =>
    element === undefined ? path : showElement(element)
  return [...groupBy(entries, ({ reason = '' }) => reason)].map(([reason, own]): Text => {
    const [only, ...others] = own as [NoLongerDeclared, ...NoLongerDeclared[]]
    const which = what(only) === '' ? [] : [name(what(only))]
    const all = names(
      own.map((each) => `${what(each)} ${each.place.file}:${each.place.line}`.trim()),
      'loss',
    )
    const why = reason === '' ? [] : [`(${reason})`]
    return [
      words('no longer declared:', 'faint'),
      ...(others.length > 0 ? [all] : [...which, { at: only.place }]),
      ...why,
    ]
  })
}
