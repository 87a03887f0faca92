// The verdict of a plan or of drift, computed once, and the same in every medium.
import { type AccessEntry, type AccessEvent, accessEvents, isUnread } from '@svcsync/core/access/describe-access.ts'
import { refusals } from '@svcsync/core/guards/judge-guards.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import { findOverwritten } from '@svcsync/core/plan/build-plan-document.ts'
import type { ChangeDocument, WeakenedProtection } from '@svcsync/core/plan/plan-document.ts'
import { byCount, formatCount } from '../text/counts.ts'
import { countEnded, type ShownPlan } from './by-cause.ts'

/** Most serious first: points are in this order. */
const kinds = [
  'refused',
  'policy-broken',
  'unknown-account',
  'administrator-gained',
  'access-lost',
  'level-lost',
  'deleted',
  'taken-away',
  'overwritten',
  'weakened',
  'unreadable',
  'access-gained',
  'licence-missing',
  'no-longer-declared',
  'changed',
  'pending',
] as const

type VerdictKind = (typeof kinds)[number]

/** Kinds that call for a second look; the others are news. */
const dangers: ReadonlySet<VerdictKind> = new Set(kinds.slice(0, kinds.indexOf('access-gained')))

interface VerdictPoint {
  readonly kind: VerdictKind
  readonly count: number
  /** `2 accounts lose access`: a part of a sentence, without a full stop. */
  readonly sentence: string
  readonly addresses: readonly string[]
  /** Accounts that it happens to. Absent: it happens to none in particular. */
  readonly accounts?: readonly string[]
  /** It may be so: nobody could see. Absent: it is so. */
  readonly certain?: false
}

interface Verdict {
  readonly severity: 'none' | 'notice' | 'danger'
  readonly sentence: string
  readonly points: readonly VerdictPoint[]
}

const maxNamedPoints = 5

/** `drift`: what the platform shows, not what becomes of it. */
export function verdictOf(plan: ShownPlan, drift: boolean): Verdict {
  const found = [
    ...refusedPoints(plan),
    ...(drift ? policyPoints(plan) : []),
    ...unknownAccountPoints(plan),
    ...accessPoints(plan, drift),
    ...licencePoints(plan),
    ...changePoints(plan, drift),
    ...unreadPoints(plan),
    ...(drift ? unreadLevelPoints(plan) : []),
    ...sincePoints(plan, drift),
    // Drift says what is on the platform, and not what the next apply will leave alone.
    ...(drift ? [] : weakenedPoints(plan)),
  ]
  const points = kinds.flatMap((kind) => found.filter((point) => point.kind === kind))
  const grave = points.filter(({ kind }) => dangers.has(kind))
  // Beside what could not be read or is guarded less, what changes is still news.
  const isMild = grave.every(({ kind }) => kind === 'unreadable' || kind === 'weakened')
  // The verdict always names accounts that gain access.
  const named = isMild ? points : points.filter(({ kind }) => dangers.has(kind) || kind === 'access-gained')
  if (grave.length > 0) return { severity: 'danger', sentence: sentenceOf(named), points }
  if (points.length === 0) return { severity: 'none', sentence: drift ? 'no drift' : 'no changes', points }
  const calm = drift ? '' : '; nothing is deleted or removed'
  return { severity: 'notice', sentence: `${sentenceOf(points)}${calm}`, points }
}

function sentenceOf(points: readonly VerdictPoint[]): string {
  const rest = points.length - maxNamedPoints
  const sentences = points.slice(0, maxNamedPoints).map(({ sentence }) => sentence)
  return [...sentences, ...(rest > 0 ? [`${formatCount(rest, 'more point')}`] : [])].join(', ')
}

function pointOf(kind: VerdictKind, count: number, sentence: string, about: PointDetails = {}): VerdictPoint[] {
  const { addresses = [], ...rest } = about
  return count === 0 ? [] : [{ kind, count, sentence, addresses: [...new Set(addresses)], ...rest }]
}

/** `objects`: those that it is about, of which each counts. */
const objectsPoint = (kind: VerdictKind, objects: readonly AddressedObject[], sentence: string): VerdictPoint[] =>
  pointOf(kind, objects.length, sentence, addressesOf(objects))

type AddressedObject = { readonly address: string }

type PointDetails = Partial<Pick<VerdictPoint, 'addresses' | 'accounts' | 'certain'>>

function refusedPoints({ guards, due }: ShownPlan): VerdictPoint[] {
  const refused = refusals(guards)
  const names = [...new Set(refused.map(({ guard }) => guard))]
  const sentence = `refused by ${names.length > 2 ? formatCount(names.length, 'guard') : names.join(' and ')}`
  const held = due?.refused ?? []
  const verdicts = held.flatMap((each) => each.verdicts)
  const by = [...new Set(verdicts.map(({ guard }) => guard))].join(' and ')
  const are = byCount(held.length, 'it is', 'they are')
  const left = `${formatCount(held.length, 'account')} left as ${are}, refused by ${by}`
  return [
    ...pointOf('refused', names.length, sentence, { addresses: refused.flatMap(({ addresses }) => addresses) }),
    ...pointOf('refused', held.length, left, {
      accounts: held.map(({ svcId }) => svcId),
      addresses: verdicts.flatMap(({ addresses }) => addresses),
    }),
  ]
}

/** Broken policies that the plan did not cause. */
function policyPoints({ warnings }: ShownPlan): VerdictPoint[] {
  const broken = warnings.filter(({ code, severity }) => code === 'SVC1807' && severity === 'error')
  const sentence = `${formatCount(broken.length, 'breach', 'breaches')} of policies on access`
  return pointOf('policy-broken', broken.length, sentence, {
    addresses: broken.flatMap(({ address }) => address ?? []),
  })
}

/** A slip of typing, mostly: what such a name would gain, nobody gains. */
function unknownAccountPoints({ warnings }: ShownPlan): VerdictPoint[] {
  const found = warnings.filter(({ account }) => account !== undefined)
  const accounts = [...new Set(found.flatMap(({ account }) => account ?? []))]
  const verb = byCount(accounts.length, 'is', 'are')
  const sentence = `${formatCount(accounts.length, 'account')} ${verb} unknown to the platform`
  const addresses = found.flatMap(({ address }) => address ?? [])
  return pointOf('unknown-account', accounts.length, sentence, { addresses, accounts })
}

/** One account, and several; then the uncertain form of both. */
type AccessVerbs = readonly [one: string, several: string, mayOne: string, maySeveral: string]

type AccessEffectKind =
  | 'administrator-gained'
  | 'access-gained'
  | 'level-gained'
  | 'access-lost'
  | 'administrator-lost'
  | 'level-changed'
  | 'level-lost'

const anotherLevel = unchangedWhenUnsure('has another level', 'have another level')

/** The effect on accounts; for drift, the platform compared with the declarations. */
const accessVerbs: Readonly<Record<'plan' | 'drift', Readonly<Record<AccessEffectKind, AccessVerbs>>>> = {
  plan: {
    'administrator-gained': unchangedWhenUnsure('becomes Administrator', 'become Administrator'),
    'access-gained': unchangedWhenUnsure('gains access', 'gain access'),
    'level-gained': unchangedWhenUnsure('gains a level', 'gain a level'),
    'access-lost': unchangedWhenUnsure('loses access', 'lose access'),
    'administrator-lost': [
      ...(['is no longer Administrator', 'are no longer Administrators'] as const),
      ...(['may no longer be Administrator', 'may no longer be Administrators'] as const),
    ],
    'level-changed': unchangedWhenUnsure('changes level', 'change level'),
    'level-lost': unchangedWhenUnsure('loses a level', 'lose a level'),
  },
  drift: {
    'administrator-gained': [
      ...(['is an undeclared Administrator', 'are undeclared Administrators'] as const),
      ...(['may be an undeclared Administrator', 'may be undeclared Administrators'] as const),
    ],
    'access-gained': unchangedWhenUnsure('has undeclared access', 'have undeclared access'),
    'level-gained': unchangedWhenUnsure('has an undeclared level', 'have an undeclared level'),
    'access-lost': unchangedWhenUnsure('lacks declared access', 'lack declared access'),
    'administrator-lost': anotherLevel,
    'level-changed': anotherLevel,
    'level-lost': unchangedWhenUnsure('lacks a declared level', 'lack a declared level'),
  },
}

function unchangedWhenUnsure(one: string, several: string): AccessVerbs {
  return [one, several, `may ${several}`, `may ${several}`]
}

/**
 * Each account counts once for what it gains, by the gravest, and once for what it loses. An account that has another
 * level on the object loses no access to it.
 */
function accessPoints({ access }: ShownPlan, drift: boolean): VerdictPoint[] {
  if (access === undefined) return []
  const verbs = accessVerbs[drift ? 'drift' : 'plan']
  // Healing takes away what drift has brought.
  const [more, less] = drift ? (['lost', 'gained'] as const) : (['gained', 'lost'] as const)
  const [comes, leaves] = drift ? (['lose', 'gain'] as const) : (['gain', 'lose'] as const)
  const events = accessEvents(access)
  const those = (effect: AccessEvent['effect'], certain: boolean) =>
    events.flatMap((event) => (event.effect === effect && event.certain === certain ? event.entry : []))
  const gains = { sure: those(comes, true), unsure: those(comes, false) }
  const losses = { sure: those(leaves, true), unsure: those(leaves, false) }
  const placesOf = (entries: readonly AccessEntry[]) => new Set(entries.map(whereOf))
  const gainedAt = placesOf([...gains.sure, ...gains.unsure])
  const lostAt = placesOf([...losses.sure, ...losses.unsure])
  const risenAt = placesOf(gains.sure.filter(isGrave))
  // The loss hides that they have another level elsewhere.
  const losers = new Set(losses.sure.flatMap((entry) => (isBeside(entry) ? [] : entry.subject)))
  let seen = new Set<string | null>([null])
  const point = (
    happening: AccessEffectKind,
    { sure, unsure }: typeof gains,
    isIt: (entry: AccessEntry) => boolean,
    cut: readonly [sure: number, unsure: number] = [0, 0],
  ): VerdictPoint[] =>
    [sure, unsure].flatMap((entries, index) => {
      const certain = index === 0
      const own = entries.filter((entry) => !seen.has(entry.subject) && isIt(entry))
      const accounts = [...new Set(own.flatMap(({ subject }) => subject ?? []))]
      seen = new Set([...seen, ...accounts])
      const [one, several] = verbs[happening].slice(certain ? 0 : 2)
      const count = `${(cut[index] ?? 0) > 0 ? 'at least ' : ''}${formatCount(accounts.length, 'account')}`
      const about = { ...addressesOf(own), accounts, ...(!certain && { certain: false as const }) }
      return pointOf(kindOf(happening), accounts.length, `${count} ${byCount(accounts.length, one, several)}`, about)
    })
  const gained = [
    ...point('administrator-gained', gains, isGrave),
    ...point('access-gained', gains, (entry) => !isBeside(entry), [access.more[more], 0]),
    ...point('level-gained', gains, (entry) => !lostAt.has(whereOf(entry)) || losers.has(entry.subject)),
  ]
  seen = new Set([null])
  return [
    ...gained,
    ...point('access-lost', losses, (entry) => !isBeside(entry), [access.more[less], access.more.unknown]),
    ...point('administrator-lost', losses, isGrave),
    ...point('level-changed', losses, (entry) => gainedAt.has(whereOf(entry)) && !risenAt.has(whereOf(entry))),
    ...point('level-lost', losses, (entry) => !risenAt.has(whereOf(entry))),
  ]
}

function kindOf(happening: AccessEffectKind): VerdictKind {
  switch (happening) {
    case 'level-gained':
      return 'access-gained'
    case 'administrator-lost':
    case 'level-changed':
      return 'level-lost'
    default:
      return happening
  }
}

const isBeside = ({ others = [] }: AccessEntry): boolean => others.length > 0

const whereOf = ({ subject, address }: AccessEntry): string => JSON.stringify([subject, address])

const isGrave = ({ level, kind }: AccessEntry): boolean => level === 'Administrator' && kind !== 'owner'

function licencePoints({ access }: ShownPlan): VerdictPoint[] {
  const { missing = 0, accounts = [] } = access?.licences ?? {}
  const sentence = `${formatCount(missing, 'account')} ${byCount(missing, 'holds', 'hold')} no licence`
  return pointOf('licence-missing', missing, sentence, { accounts })
}

function changePoints({ changes }: ShownPlan, drift: boolean): VerdictPoint[] {
  const by = (action: ChangeDocument['action']) => changes.filter((change) => change.action === action)
  const [deleted, updated, created] = [by('delete'), by('update'), by('create')]
  const over = deleted.filter((each) => each.ended !== undefined)
  const undeclared = deleted.filter((each) => each.ended === undefined)
  const entries = updated.map(({ address, differences }) => ({
    address,
    taken: differences.reduce((sum, { removed }) => sum + (removed?.length ?? 0), 0),
    ended: drift ? differences.reduce((sum, difference) => sum + countEnded(difference), 0) : 0,
  }))
  const taking = entries.filter(({ taken }) => taken > 0)
  const ended = taking.reduce((sum, entry) => sum + entry.ended, 0)
  const taken = taking.reduce((sum, entry) => sum + entry.taken, 0) - ended
  const lists = formatCount(taken, 'entry', 'entries')
  const others = [...updated, ...created]
  const counts = [
    [
      updated.length,
      drift ? `${formatCount(updated.length, 'object')} changed` : formatCount(updated.length, 'update'),
    ],
    [
      created.length,
      drift ? `${formatCount(created.length, 'object')} missing` : formatCount(created.length, 'creation'),
    ],
  ] as const
  const counted = counts.flatMap(([count, text]) => (count > 0 ? text : []))
  return [
    ...(drift
      ? [
          ...objectsPoint('deleted', undeclared, `${namedObjects(undeclared)} undeclared`),
          ...objectsPoint('deleted', over, `${namedObjects(over)} ${byCount(over.length, 'has', 'have')} ended`),
        ]
      : objectsPoint('deleted', deleted, `${namedObjects(deleted)} ${isOrAre(deleted.length)} deleted`)),
    ...pointOf(
      'taken-away',
      taken,
      drift
        ? `${formatCount(taken, 'undeclared entry', 'undeclared entries')} in lists`
        : `${lists} ${isOrAre(taken)} removed${byCount(taken, '', ` from ${formatCount(taking.length, 'object')}`)}`,
      addressesOf(taking.filter((entry) => entry.taken > entry.ended)),
    ),
    ...pointOf(
      'taken-away',
      ended,
      `${formatCount(ended, 'entry', 'entries')} in lists ${byCount(ended, 'has', 'have')} ended`,
      addressesOf(taking.filter((entry) => entry.ended > 0)),
    ),
    ...objectsPoint('changed', others, counted.join(', ')),
  ]
}

const isOrAre = (number: number): string => byCount(number, 'is', 'are')
const addressesOf = (all: readonly AddressedObject[]) => ({ addresses: all.map(({ address }) => address) })

/** `1 substitution and 1 user`: an account among other objects stays visible. More than three kinds are objects. */
function namedObjects(changes: readonly ChangeDocument[]): string {
  const own = [...groupBy(changes, ({ kind }) => kind)]
  if (own.length === 0 || own.length > 3) return formatCount(changes.length, 'object')
  const named = own.map(([kind, { length }]) => formatCount(length, kind.replaceAll('-', ' ')))
  return enumerate(named)
}

function unreadPoints({ unreadable, access, steps, base }: ShownPlan): VerdictPoint[] {
  const unread = new Set<string>(addressesOf(unreadable).addresses)
  const held = steps.filter(({ restsOn }) => restsOn !== undefined)
  const closed = (access === undefined ? [] : accessEvents(access)).flatMap((event) =>
    isUnread(event) && !unread.has(event.entry.address) ? event.entry : [],
  )
  // An undo reads only the objects of the journal: its groups may hold rights on others.
  const isBlind = base?.from === 'journal' && access?.unlooked === 'groups'
  return [
    ...objectsPoint('unreadable', unreadable, `${formatCount(unreadable.length, 'object')} could not be read`),
    ...objectsPoint('unreadable', held, `${formatCount(held.length, 'step')} cannot be sent`),
    ...objectsPoint('unreadable', closed, `access to ${formatCount(closed.length, 'object')} is not known`),
    ...pointOf('unreadable', isBlind ? 1 : 0, 'access through groups to other objects is not known'),
  ]
}

/** Nobody declared these entries, and what they hold is not told: they may be drift. */
function unreadLevelPoints({ unlistedLevels }: ShownPlan): VerdictPoint[] {
  const { entries = 0, listed = [] } = unlistedLevels?.untold ?? {}
  const accounts = listed.flatMap((list) => list.accounts.map(({ svcId }) => svcId))
  const sentence = `${formatCount(entries, 'undeclared entry', 'undeclared entries')} at levels that are not told`
  return pointOf('access-gained', entries, sentence, { ...addressesOf(listed), accounts, certain: false })
}

function sincePoints(
  { changes, noLongerDeclared = [], weakened = [], pending = [], base }: ShownPlan,
  drift: boolean,
): VerdictPoint[] {
  const byHand = drift || !base ? [] : findOverwritten(changes)
  const reverted = byHand.reduce((sum, entry) => sum + entry.count, 0)
  // An object that is no longer managed is graver news, and is reported as that.
  const weaker = new Set(drift ? [] : weakened.flatMap(({ what, address }) => (what === 'object' ? [address] : [])))
  const left = noLongerDeclared.filter(
    ({ becomes, path, address }) => becomes !== 'kept' || path !== undefined || !weaker.has(address),
  )
  const sentence = `${formatCount(reverted, 'change')} made on the platform ${isOrAre(reverted)} reverted`
  return [
    ...pointOf('overwritten', reverted, sentence, addressesOf(byHand)),
    ...objectsPoint('no-longer-declared', left, `${formatCount(left.length, 'entry', 'entries')} no longer declared`),
    ...objectsPoint('pending', pending, `${formatCount(pending.length, 'object')} declared and not applied`),
  ]
}

const weakerWords: Readonly<Record<WeakenedProtection['what'], readonly [several: string, state: string]>> = {
  setting: ['settings', 'looser'],
  policy: ['policies', 'gone or looser'],
  exception: ['exceptions', 'accepted'],
  list: ['lists', 'managed less'],
  object: ['objects', 'no longer managed'],
}

function weakenedPoints({ weakened = [] }: ShownPlan): VerdictPoint[] {
  const groups = [...groupBy(weakened, ({ what }) => what)].map(([what, { length }]) => {
    const [several, state] = weakerWords[what]
    return `${formatCount(length, what, several)} ${isOrAre(length)} ${state}`
  })
  const sentence = groups.length > 2 ? `${formatCount(weakened.length, 'safeguard')} are weaker` : groups.join(' and ')
  const isSure = weakened.some(({ certain = true }) => certain)
  const addresses = weakened.flatMap(({ address }) => address ?? [])
  return pointOf('weakened', weakened.length, sentence, { addresses, ...(!isSure && { certain: false as const }) })
}
