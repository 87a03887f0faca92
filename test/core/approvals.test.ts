// Approved plans written by hand, and what of another plan they do not cover.
import { describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import {
  checkApproved,
  notInApprovedPlan,
  platformChangedSince,
  supersededApproval,
} from '../../src/core/saved/approvals.ts'

const noAccess = { mode: 'full', gained: [], lost: [], changed: [], unknown: [], unread: 0 }
const more = { gained: 0, lost: 0, changed: 0, unknown: 0 }

/** `day`: of the plan; a later one counts for more. */
function planOf(day: number, changes: readonly object[], rest: object = {}): PlanDocument {
  const document = { changes, steps: [], guards: [], only: [], digest: `d${day}`, ...rest }
  return { ...document, createdAt: `2026-01-0${day}T00:00:00Z` } as unknown as PlanDocument
}
const change = (action: string, differences: readonly object[] = [], address = 'group/g') => ({
  ...{ address, kind: 'group', action, differences },
})
const members = (fields: object) => ({ path: 'members', added: [], removed: [], ...fields })
const entry = (svcId: string, settings?: object) => ({ svcId, ...(settings && { settings }) })

function said(now: PlanDocument, ...approved: readonly PlanDocument[]): string[] {
  return checkApproved(now, approved, 'ignore-case').unseen.map(({ subject, remark = '', under, ...rest }) => {
    const { path, added, removed, found } = rest as Record<string, unknown>
    const lists = [added, removed].map((list) => JSON.stringify(list) ?? '').join(' -')
    return [`${subject}|${path}|${remark}`, lists === ' -' ? '' : lists, JSON.stringify(found) ?? '', under].join('|')
  })
}
const [never, other, moved] = [notInApprovedPlan, supersededApproval, platformChangedSince]

describe('approved plans cover', () => {
  const name = (after: string, fields: object = {}) => ({ path: 'name', before: 'a', after, ...fields })
  const renamed = change('update', [name('b')])

  it('the value that they show, until a later one shows another', () => {
    expect(said(planOf(3, [renamed]), planOf(1, [renamed]))).toEqual([])
    expect(said(planOf(3, [renamed]))).toEqual([`group/g|name|||"b"|${never}`])
    const later = [planOf(1, [renamed]), planOf(2, [change('update', [name('c')])])] as const
    expect(said(planOf(3, [renamed]), ...later)).toEqual([`group/g|name|||"b"|${other}`])
    expect(said(planOf(3, [renamed]), ...later, planOf(2, [renamed]))).toEqual([`group/g|name|||"b"|${other}`])
    expect(said(planOf(3, [renamed]), ...later, planOf(3, [renamed]))).toEqual([])
    const elsewhere = [planOf(1, [renamed]), planOf(2, [change('update', [name('c')], 'group/h')])] as const
    expect(said(planOf(3, [renamed]), ...elsewhere)).toEqual([])
    const moving = change('update', [{ ...name('b'), before: 'z' }])
    expect(said(planOf(3, [moving]), planOf(1, [renamed]))).toEqual([`group/g|name|||"b"|${moved}`])
    const cleared = change('update', [{ path: 'name', before: 'a' }])
    expect(said(planOf(3, [cleared]), planOf(1, [cleared]), planOf(2, [renamed]))).toEqual([`group/g|name||||${other}`])
  })

  it('no secret but the one they name', () => {
    const masked = change('update', [name('${env:A}', { masked: true })])
    const plain = change('update', [name('${env:A}')])
    expect(said(planOf(3, [masked]))).toEqual([`group/g|name|gets what \${env:A} stands for|||${never}`])
    expect(said(planOf(3, [masked]), planOf(1, [plain]))).toHaveLength(1)
    expect(said(planOf(3, [masked]), planOf(1, [masked]), planOf(2, [plain]))).toEqual([
      `group/g|name|gets what \${env:A} stands for|||${other}`,
    ])
    const anew = change('update', [{ path: 'sql.rotation', rotates: true }])
    expect(said(planOf(3, [anew]))).toEqual([`group/g|sql.rotation|its credentials are sent anew|||${never}`])
    const steps = [{ address: 'group/g', verb: 'update', spec: { secret: '${env:B}' } }]
    expect(said(planOf(3, [masked], { steps }))).toHaveLength(1)
  })

  it('each entry by itself, by its settings, until a later one takes it back', () => {
    const a = change('update', [members({ added: [entry('a')] })])
    const withoutB = change('update', [members({ removed: [entry('b')] })])
    const withoutA = change('update', [members({ removed: [entry('A')] })])
    expect(said(planOf(3, [a]), planOf(1, [a]), planOf(2, [withoutB]))).toEqual([])
    expect(said(planOf(3, [a]), planOf(1, [a]), planOf(2, [withoutA]))).toEqual([
      `group/g|members||[{"svcId":"a"}] -[]||${other}`,
    ])
    const set = (value: number) => change('update', [members({ added: [entry('a', { value })] })])
    expect(said(planOf(3, [set(1)]), planOf(1, [set(1)]), planOf(2, [set(2)]))).toHaveLength(1)
    expect(said(planOf(3, [set(1)]), planOf(1, [set(1)]))).toEqual([])
    const both = change('update', [members({ added: [entry('a'), entry('c')], removed: [entry('d')] })])
    expect(said(planOf(3, [both]))).toEqual([
      `group/g|members||[{"svcId":"a"},{"svcId":"c"}] -[{"svcId":"d"}]||${never}`,
    ])
    // A plan may tell one half of a list alone.
    const halves = change('delete', [
      { path: 'members', removed: [entry('a')] },
      { path: 'owners', added: [entry('b')] },
    ])
    expect(said(planOf(3, [halves]))).toEqual([
      `group/g||is deleted|||${never}`,
      `group/g|members||[] -[{"svcId":"a"}]||${never}`,
      `group/g|owners||[{"svcId":"b"}] -[]||${never}`,
    ])
  })

  it('the life of an object, until a later one decides otherwise', () => {
    const [created, gone] = [change('create'), change('delete')]
    const of = (now: object, ...before: readonly object[]) =>
      said(planOf(9, [now]), ...before.map((each, index) => planOf(index + 1, [each])))
    expect(of(created)).toEqual([`group/g||is created|||${never}`])
    expect([of(created, created), of(gone, gone)]).toEqual([[], []])
    expect(of(gone, gone, created)).toEqual([`group/g||is deleted|||${other}`])
    expect(of(created, created, gone)).toEqual([`group/g||is created|||${other}`])
    expect(of(created, created, renamed)).toEqual([])
    expect(of(renamed, renamed, created)).toEqual([`group/g|name|||"b"|${other}`])
    expect(of(renamed, renamed, gone)).toEqual([`group/g|name|||"b"|${other}`])
    expect(of(renamed, renamed, renamed)).toEqual([])
  })

  it('no step of what they do not show, and count what nobody needs', () => {
    const steps = [{ address: 'group/x', verb: 'update' }]
    expect(said(planOf(3, [], { steps }))).toEqual([`group/x||update a part of it|||${never}`])
    const two = planOf(1, [renamed, change('update', [name('b')], 'group/h')])
    expect(checkApproved(planOf(3, [renamed]), [two], 'ignore-case')).toEqual({ unseen: [], notNeeded: 1 })
    expect(checkApproved(planOf(3, []), [two], 'ignore-case').notNeeded).toBe(2)
  })
})

describe('approved plans cover access', () => {
  const holds = (subject: string | null, fields: object = {}) => ({
    ...{ subject, level: 'Start', address: 'process/x', company: null, via: ['g'], kind: 'privilege' },
    ...fields,
  })
  const withAccess = (day: number, lists: object, rest: object = {}) =>
    planOf(day, [], { access: { ...noAccess, more, ...lists }, ...rest })
  const gains = withAccess(1, { gained: [holds('a')] })

  it('that they show, of one company, and as certain or less so', () => {
    expect(said(withAccess(3, { gained: [holds('A')] }), gains)).toEqual([])
    expect(said(withAccess(3, { gained: [holds('a', { company: 'PL' })] }), gains)).toEqual([
      `process/x||a gains Start for PL through g|||${never}`,
    ])
    const may = withAccess(3, { unknown: [holds('a', { may: 'gain' })] })
    expect(said(may, gains)).toEqual([])
    expect(said(gains, may)).toEqual([`process/x||a gains Start through g|||${never}`])
    expect(said(may)).toEqual([`process/x||a may gain Start through g|||${never}`])
    expect(said(withAccess(3, { lost: [holds('a', { level: null, via: [] })] }))).toEqual([
      `process/x||a loses a level|||${never}`,
    ])
  })

  it('not where a later one shows the opposite, nor that somebody keeps it', () => {
    const loses = withAccess(2, { lost: [holds('a')] })
    expect(said(withAccess(3, { gained: [holds('a')] }), gains, loses)).toEqual([
      `process/x||a gains Start through g|||${other}`,
    ])
    expect(said(withAccess(3, { gained: [holds('a')] }), gains, withAccess(2, { gained: [holds('a')] }))).toEqual([])
    expect(said(withAccess(3, { lost: [holds('a')] }), loses, withAccess(3, { lost: [holds('a')] }))).toEqual([])
    expect(said(withAccess(3, { changed: [holds('a')] }))).toEqual([])
  })

  it('of each account that nobody could see into, and of each object that nobody could read', () => {
    const unseen = (account?: string) => holds(null, { level: null, via: [], ...(account && { unseen: account }) })
    const approved = withAccess(1, { unknown: [unseen('G')] })
    expect(said(withAccess(3, { unknown: [unseen('g')] }), approved)).toEqual([])
    const line = `process/x||who has what there is not known|||${never}`
    expect(said(withAccess(3, { unknown: [unseen('h')] }), approved)).toEqual([line])
    expect(said(withAccess(3, { unknown: [unseen()] }), approved)).toEqual([line])
  })

  it('that an entry of a list shows itself, unless the plan shows a part alone', () => {
    const direct = { gained: [holds('a', { via: [] })] }
    expect(said(withAccess(3, direct))).toEqual([])
    expect(said(withAccess(3, direct, { only: ['group/**'] }))).toEqual([`process/x||a gains Start|||${never}`])
  })

  it('no more than they list, but for the plan that was approved itself', () => {
    const cut = withAccess(3, { more: { ...more, lost: 1, unknown: 2 } })
    expect(said(cut, gains)).toEqual([`access||1 more: lost|||${never}`, `access||2 more: unknown|||${never}`])
    expect(said(cut, cut)).toEqual([])
  })

  it('allowances for the guard and the value that they broke', () => {
    const verdict = (fields: object) => ({
      guard: 'deletions',
      verdict: 'allowed',
      sentence: 's',
      allow: 'x',
      ...fields,
    })
    const guarded = (day: number, fields: object) => planOf(day, [], { guards: [verdict(fields)] })
    expect(said(guarded(3, {}), guarded(1, { verdict: 'refused' }))).toEqual([])
    expect(said(guarded(3, { verdict: 'passed' }))).toEqual([])
    for (const before of [{ allow: 'y' }, { guard: 'removals' }, { verdict: 'passed' }])
      expect(said(guarded(3, {}), guarded(1, before))).toEqual([`guard deletions||s|||${never}`])
  })
})
