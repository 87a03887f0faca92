// Divides changes into sections, the most dangerous first. Each change is in exactly one.
import { showElement } from '@svcsync/core/model/elements.ts'
import { append, groupBy } from '@svcsync/core/model/group-by.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type { NoLongerDeclared, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Block, Row, Sign, Table, Text, Tone } from '../blocks/block.ts'
import { name, names, note, section, table, words } from '../blocks/block.ts'
import { startLarge } from '../problems/problem-sentences.ts'
import { byCount, formatCount } from '../text/counts.ts'
import { isAmong, partOf, type ShownPlan } from './by-cause.ts'
import { differencesOf } from './difference-rows.ts'
import { causesAs, foundAs, foundMarks } from './drift-words.ts'
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

interface Part {
  readonly title: string
  readonly tone: Tone
  readonly weight: Table['weight']
  readonly tag: string
  readonly about: readonly string[]
  readonly heals?: string
  /** The title where no manifest declares any more what goes. */
  readonly undeclared?: string
  readonly holds: (change: ReviewedChange) => boolean
}

/** Somebody or something loses what was there; of drift: was given what nobody declares. */
export const takesAway = ({ action, differences }: Pick<ReviewedChange, 'action' | 'differences'>): boolean =>
  action === 'delete' || differences.some(({ removed = [] }) => removed.length > 0)

/**
 * An entry with settings may replace one that allowed more, one about an object limit what held everywhere, and what
 * ends end sooner: nobody may say that it takes nothing away.
 */
function setsAnew({ action, differences }: ReviewedChange): boolean {
  return differences.some(
    ({ path, added = [] }) =>
      (action === 'update' && (path === 'to' || added.some(({ about }) => about !== undefined))) ||
      added.some(({ settings }) => settings !== undefined),
  )
}

/** Finds changes that take access away or that guards refuse, and new Administrators if the plan reads no access. */
function graveIn({ guards, access }: PlanDocument): (change: ReviewedChange) => boolean {
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

function part(
  title: string,
  tag: string,
  [tone, weight]: readonly [Tone, Table['weight']],
  rest: Pick<Part, 'about' | 'holds'>,
) {
  return { title, tag, tone, weight, ...rest }
}

const aboutChanged = ['changed']

const planned: readonly Part[] = [
  part('Deletes', 'deleted', ['remove', 'loss'], { about: ['deleted'], holds: isAction('delete') }),
  {
    ...part('Removes', 'removed', ['remove', 'loss'], { about: ['taken-away'], holds: takesAway }),
    undeclared: 'Removes entries no longer declared',
  },
  part('Updates', 'updated', ['change', 'news'], { about: aboutChanged, holds: isAction('update') }),
  part('Creates', 'created', ['add', 'bulk'], { about: aboutChanged, holds: isAction('create') }),
]

function foundParts(isKnown: boolean): readonly Part[] {
  const { object, entry, value } = causesAs(isKnown)
  const undeclared = { about: ['deleted'], holds: isAction('delete') }
  const missing = { about: aboutChanged, holds: isAction('create') }
  const changed = { about: aboutChanged, holds: isAction('update') }
  return [
    { ...part(startLarge(object.undeclared), 'undeclared', ['add', 'loss'], undeclared), heals: 'deletes' },
    {
      ...part(`Entries ${entry.added}`, 'added', ['add', 'loss'], { about: ['taken-away'], holds: isAdded }),
      heals: 'removes',
    },
    part(startLarge(value), 'changed', ['change', 'news'], changed),
    { ...part(`Missing: ${object.missing}`, 'missing', ['remove', 'news'], missing), heals: 'creates' },
  ]
}

/** Somebody got in whom nobody listed: without those who are listed for a time that is over or has not begun. */
function isAdded({ differences }: ReviewedChange): boolean {
  return differences.some(({ removed = [], outsideTime = [] }) =>
    removed.some((element) => !isAmong(element, outsideTime)),
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
    return sectionsOf(plan, reviewed, foundParts(isKnown), form)
  }
  if (!base) return sectionsOf(plan, reviewed, planned, form)
  const byHand = (['both', 'live'] as const).flatMap((side) => {
    const own = partOf(plan, side)
    const which = side === 'both' ? ', where the manifests changed as well' : ''
    const title = `Reverts changes made on the platform since ${since}${which}`
    const reverted = part(title, 'reverted', ['warning', 'news'], { about: ['overwritten'], holds: () => true })
    return sectionsOf(own, reviewChanges(own), [reverted], { ...form, isByHand: true })
  })
  const own = partOf(plan, 'declared')
  const declared = reviewChanges(own)
  const [deletes = [], ...rest] = planned.map((part) => sectionsOf(own, declared, [part], form, planned))
  return [...deletes, ...byHand, ...rest.flat()]
}

interface SectionForm extends ChangeForm {
  readonly isByHand?: boolean
}

const fewest = 10

function sectionsOf(
  plan: ShownPlan,
  changes: readonly ReviewedChange[],
  parts: readonly Part[],
  form: SectionForm,
  all: readonly Part[] = parts,
): Block[] {
  const { drift, short = false, brief: isBrief = false, isByHand = false } = form
  // A creation overwrites nobody's edit.
  const isGrave = isByHand ? ({ action }: ReviewedChange) => action !== 'create' : graveIn(plan)
  const gone = goneOf(plan)
  return parts.flatMap((part) => {
    const own = changes.filter((change) => all.find(({ holds }) => holds(change)) === part)
    if (own.length === 0) return []
    const brief = own.filter((change) => (isByHand ? isGrave(change) : setsAnew(change)))
    const isCut = short && part.weight !== 'loss' && own.length - brief.length > fewest
    const shown = isCut ? brief : own
    const byKind = groupBy(shown, ({ kind }) => kind)
    const isTold = isBrief && part.undeclared !== undefined && shown.every((each) => isGone(each, gone))
    const kinds = [...new Set([...Object.keys(plan.kinds), ...byKind.keys()])]
    const tables = kinds.flatMap((kind) => {
      const rows = (byKind.get(kind) ?? []).map((change) => {
        const row = changeRow(change, part, drift, isGrave, isTold ? none : gone)
        return isTold ? toldRow(row, change, plan) : row
      })
      return table(rows, { title: plan.kinds[kind] ?? kind, noun: nounOf(kind), weight: part.weight })
    })
    const left = own.length - shown.length
    const [take, them] = byCount(left, ['takes', 'it'], ['take', 'them'])
    const cut =
      left === 0
        ? []
        : [
            note(
              `${formatCount(left, 'object')} ${take} nothing away: the report names ${them}, and --verbose shows all.`,
              'faint',
            ),
          ]
    const those = shown.length === 1 && part.heals !== 'removes' ? 'it' : 'them'
    const said =
      part.heals === undefined || shown.length === 0 ? [] : [note(`Healing ${part.heals} ${those}.`, 'faint')]
    return section((isTold && part.undeclared) || part.title, part.tone, [...said, ...tables, ...cut], part.about)
  })
}

/** A change of what no manifest names any more has its place at the base; after it, nobody manages that. */
function toldRow(row: Row, { address }: ReviewedChange, { noLongerDeclared = [], weakened = [] }: ShownPlan): Row {
  const isLeft = weakened.some((each) => each.what === 'object' && each.address === address)
  const place = row.place ?? noLongerDeclared.find((each) => each.address === address)?.place
  return { ...row, place, below: isLeft ? ['no longer managed'] : [] }
}

const none: ReadonlyMap<string, NoLongerDeclared[]> = new Map()

/** All that is taken away is no longer declared, for no other reason than its line. */
function isGone({ address, differences }: ReviewedChange, all: ReadonlyMap<string, NoLongerDeclared[]>): boolean {
  const gone = all.get(address) ?? []
  const left = new Set(gone.map(({ path, element }) => JSON.stringify([path, element && showElement(element)])))
  const isLeft = (path: string) => (element: Element) => left.has(JSON.stringify([path, showElement(element)]))
  return (
    gone.every(({ reason }) => reason === undefined) &&
    differences.every(({ path, removed = [] }) => removed.every(isLeft(path)))
  )
}

/** The fate of an undeclared entry is shown with the change that causes it. */
function goneOf({ noLongerDeclared = [], pending }: ShownPlan): ReadonlyMap<string, NoLongerDeclared[]> {
  const gone = new Map<string, NoLongerDeclared[]>()
  if (pending !== undefined) return gone
  for (const each of noLongerDeclared) if (each.becomes !== 'kept') append(gone, each.address, each)
  return gone
}

export const changeMarks: Readonly<Record<ReviewedChange['action'], Sign>> = { create: '+', update: '~', delete: '-' }

function changeRow(
  change: ReviewedChange,
  part: Part,
  drift: boolean,
  isGrave: (change: ReviewedChange) => boolean,
  gone: ReadonlyMap<string, NoLongerDeclared[]>,
): Row {
  const { address, action, kind, place, prunedBy, ended, differences } = change
  const undeclared = prunedBy === undefined ? 'declared nowhere' : `declared nowhere, pruned by \`${prunedBy}\``
  const absent =
    drift && place !== undefined ? [`declared absent: ${causesAs(Boolean(change.cause)).object.absent}`] : []
  const over = ended === undefined ? undefined : [`ended ${ended.shown}`]
  const why = action !== 'delete' ? [] : (over ?? (drift ? absent : place === undefined ? [undeclared] : []))
  const dangers = takesAway(change) ? ['takes away'] : []
  return {
    sign: (drift ? foundMarks : changeMarks)[action],
    cells: [[name(address)]],
    place,
    isGrave: isGrave(change),
    id: address,
    // A part may be called as what was found: on a page each is counted once.
    tags: [...new Set([part.tag, kind, ...dangers, ...(drift ? [foundAs[action]] : [])])],
    below: [...why, ...goneTexts(gone.get(address) ?? [])],
    ...differencesOf(differences, { creating: action === 'create', place, fromDeclared: drift }),
  }
}

function goneTexts(gone: readonly NoLongerDeclared[]): Text[] {
  const what = ({ element, path = '' }: NoLongerDeclared): string =>
    element === undefined ? path : showElement(element)
  return [...groupBy(gone, ({ reason = '' }) => reason)].map(([reason, own]): Text => {
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
