// Who is asked about whose access, and what comes of the answers.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { AccessRow } from '../../src/core/plan/access-report.ts'
import {
  type Answer,
  assignReviewers,
  countDecisions,
  entryOfRow,
  hasOwnDigest,
  reviewKey,
  withDigest,
} from '../../src/core/plan/access-review.ts'
import { application } from '../../src/kinds/application/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const lower = (svcId: string): string => svcId.toLowerCase()
const place = 'process/A/P'

function row(subject: string | null, level: string | null, more: Partial<AccessRow> = {}): AccessRow {
  const state = { live: true, afterApply: true, declared: true, declaredWay: null, places: [], atBase: null }
  const entry = { subject, level, address: place, company: null, via: [], kind: 'privilege' } as const
  return { ...entry, ...state, accepted: null, since: null, licensed: null, ...more }
}

function change(kind: Kind, address: string, at: object, spec: object = {}): Change {
  const part = { kind, address, at, name: address, self: '', spec, collections: {}, key: address.split('/').at(-1) }
  return { address, action: 'none', fields: [], collections: [], unverifiable: [], live: part } as unknown as Change
}

const inA = { dbId: 1, application: 'a' }
const changes = [
  change(application, 'application/A', inA),
  change(process, place, { ...inA, process: 'p' }),
  change(group, 'group/team', { name: 'team' }),
  change(user, 'user/anna', { name: 'anna' }, { name: 'x', managerSvcId: 'Boss' }),
  change(user, 'user/jan', { name: 'jan' }, { managerSvcId: '' }),
  change(user, 'user/self', { name: 'self' }, { managerSvcId: 'SELF' }),
  change(license, 'license/eva', { name: 'eva' }, { managerSvcId: 'Boss' }),
]
const owner = (subject: string): AccessRow => row(subject, 'owner', { address: 'group/team', kind: 'owner' })
const administrator = (subject: string, address = place): AccessRow => row(subject, 'Administrator', { address })

/** Who is asked about each row, as `person level: reviewers`. */
function asked(by: Parameters<typeof assignReviewers>[0], rows: readonly AccessRow[], of = changes): string[] {
  const { entries, assigned } = assignReviewers(by, { rows }, of, lower)
  return entries.map(({ person, level, company }, index) => {
    const reviewers = [...assigned].filter(([, own]) => own.includes(index)).map(([reviewer]) => reviewer)
    return `${person} ${level}${company ?? ''}: ${reviewers.map(String).sort()}`
  })
}

it('a review asks the owners of the first group, else Administrators of the object, else those above it', () => {
  const through = row('jan', 'Start', { via: ['TEAM', 'other'] })
  const alone = row('jan', 'Modify')
  const owners = [owner('zoe'), owner('Olga'), owner('Olga')]
  expect(asked('owner', [through, alone, ...owners])).toEqual([
    ...['Olga owner: zoe', 'Olga owner: zoe', 'jan Modify: null', 'zoe owner: Olga', 'jan Start: Olga,zoe'],
  ])
  const administrators = [administrator('adam'), administrator('Abel')]
  expect(asked('owner', [through, alone, ...administrators])).toEqual([
    ...['Abel Administrator: adam', 'adam Administrator: Abel', 'jan Modify: Abel,adam', 'jan Start: Abel,adam'],
  ])
  expect(asked('object', [through, ...owners, administrator('adam')]).at(-1)).toBe('jan Start: adam')
  // Nobody decides on what they can do themselves: whoever administers the application does.
  expect(asked('object', [administrator('ABEL'), administrator('abel', 'application/A')])).toEqual([
    ...['abel Administrator: null', 'ABEL Administrator: null'],
  ])
  expect(asked('object', [alone, administrator('above', 'application/A')])).toEqual([
    ...['above Administrator: null', 'jan Modify: above'],
  ])
})

it('a review asks nobody who administers for one business entity, not any more, or what nobody read', () => {
  const alone = row('jan', 'Start')
  expect(asked('object', [alone, row('adam', 'Administrator', { company: 'PL' })])).toEqual([
    ...['adam AdministratorPL: null', 'jan Start: null'],
  ])
  expect(asked('object', [alone, { ...administrator('adam'), live: false }])).toEqual(['jan Start: null'])
  expect(asked('object', [alone, administrator('adam')], [])).toEqual(['adam Administrator: null', 'jan Start: null'])
})

it('a review by person asks the manager, and not who manages themselves', () => {
  const rows = [administrator('adam'), ...['ANNA', 'jan', 'self', 'eva'].map((subject) => row(subject, 'Start'))]
  expect(asked('person', rows)).toEqual([
    ...['ANNA Start: Boss', 'adam Administrator: null', 'eva Start: adam', 'jan Start: adam', 'self Start: adam'],
  ])
  expect(asked('object', [row('anna', 'Start')])).toEqual(['anna Start: null'])
})

it('a review sorts by group, by object or by person', () => {
  const rows = [
    row('b', 'Start', { via: ['g'], address: 'process/1' }),
    row('a', 'Start', { via: ['h'], address: 'process/2', company: 'PL' }),
    row('a', 'Start', { via: ['h'], address: 'process/2' }),
    row('c', 'Start', { address: 'process/0' }),
  ]
  const order = (by: Parameters<typeof asked>[0]) => asked(by, rows, []).map((each) => each.slice(0, -': null'.length))
  expect(order('owner')).toEqual(['c Start', 'b Start', 'a Start', 'a StartPL'])
  expect(order('object')).toEqual(['c Start', 'b Start', 'a Start', 'a StartPL'])
  expect(order('person')).toEqual(['a Start', 'a StartPL', 'b Start', 'c Start'])
})

it('an entry of a review tells the way and the day, and says where the platform tells no level', () => {
  const since = { commit: 'c', date: '2026-11-20T10:00:00Z', author: 'x', claimedApprovals: [] }
  expect(entryOfRow(row('anna', 'Start', { via: ['g', 'h'], since }))).toEqual({
    ...{ person: 'anna', level: 'Start', object: place, company: null, through: ['g', 'h'], since: '2026-11-20' },
  })
  expect(entryOfRow(row('anna', 'Start', { since: { ...since, begins: '2026-12-01T00:00' } })).since).toBe('2026-12-01')
  expect(entryOfRow(row(null, null))).toMatchObject({ person: '', level: 'unknown', since: null })
  const [one, other] = ['Anna', 'ANNA'].map((person) => reviewKey({ ...entryOfRow(row(person, 'Start')) }, lower))
  expect(one).toBe(other)
  expect(reviewKey(entryOfRow(row('anna', 'Start', { company: 'PL' })), lower)).not.toBe(one)
})

it('a decision is what all who decided say, contrary ones are told, and the rest is open', () => {
  const answer = (entry: number, decision: Answer['decision']): Answer => ({ entry, decision, file: 'f', place: 'p' })
  const [keep, keepToo, revoke] = [answer(1, 'keep'), answer(1, 'keep'), answer(2, 'revoke')]
  const contrary = answer(2, 'keep')
  const entries = Array.from({ length: 4 }, () => entryOfRow(row('anna', 'Start')))
  const found = countDecisions({ entries }, [answer(0, null), keep, revoke, keepToo, contrary])
  expect([...found.decided]).toEqual([
    [1, [keep, keepToo]],
    [2, [revoke, contrary]],
  ])
  expect([found.contrary, found.open]).toEqual([[[revoke, contrary]], [0, 3]])
})

it('what is sealed cannot be changed without a trace', () => {
  const digest = (texts: Iterable<string>) =>
    createHash('sha256')
      .update([...texts].join())
      .digest('hex')
  const review = withDigest({ target: 'main', entries: ['a'] }, digest)
  expect([hasOwnDigest(review, digest), hasOwnDigest({ ...review, entries: ['b'] } as never, digest)]).toEqual([
    true,
    false,
  ])
})
