import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noAccess } from '../../src/core/access/describe-access.ts'
import type { Address } from '../../src/core/model/address.ts'
import { verdictOf } from '../../src/render/changes/verdict.ts'
import { headOf, renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { hostilePlan } from './hostile.ts'
import { accessPlan, emptyPlan, fullPlan } from './plan-fixture.ts'

const kindsOf = ({ points }: ReturnType<typeof verdictOf>) => points.map(({ kind }) => kind)

describe('the verdict of a plan', () => {
  it('names what is grave first, and each account once for what it gains', () => {
    const { severity, points } = verdictOf(accessPlan, false)
    expect(severity).toBe('danger')
    expect(points.map(({ sentence, certain = true }) => [sentence, certain])).toEqual([
      ['refused by 3 guards', true],
      ['1 account becomes Administrator', true],
      ['2 accounts lose access', true],
      ['2 accounts may lose access', false],
      ['1 group is deleted', true],
      ['access to 1 object is not known', true],
      ['at least 44 accounts gain access', true],
      ['1 account may gain access', false],
    ])
  })

  it('says that nothing is taken away where that is so, and nothing of a plan that does nothing', () => {
    const changes = fullPlan.changes.filter(({ action }) => action === 'create')
    const calm = { ...fullPlan, changes, unreadable: [], noLongerDeclared: [] }
    expect(verdictOf(calm, false)).toMatchObject({
      severity: 'notice',
      sentence: '2 creations; nothing is deleted or removed',
    })
    expect(verdictOf(emptyPlan, false)).toEqual({ severity: 'none', sentence: 'no changes', points: [] })
    expect(verdictOf(emptyPlan, true)).toEqual({ severity: 'none', sentence: 'no drift', points: [] })
  })

  it('names what is deleted by kind, so that an account stays visible', () => {
    const gone = (...kinds: readonly string[]) => {
      const changes = kinds.map(
        (kind, at) => ({ address: `${kind}/${at}` as Address, kind, action: 'delete', differences: [] }) as const,
      )
      return verdictOf({ ...emptyPlan, changes }, false).sentence
    }
    expect(gone('user')).toBe('1 user is deleted')
    expect(gone('substitution', 'user')).toBe('1 substitution and 1 user are deleted')
    expect(gone('group', 'group', 'substitution', 'user')).toBe('2 groups, 1 substitution and 1 user are deleted')
    expect(gone('constant', 'group', 'substitution', 'user')).toBe('4 objects are deleted')
  })

  it('says once what is no longer declared and taken out of lists', () => {
    const element = { svcId: 'jan@example.com' }
    const address = 'group/a@b' as Address
    const change = { address, kind: 'group', action: 'update' } as const
    const removed = [element, { svcId: 'eva@example.com' }]
    const place = { file: 'a.yaml', line: 1, column: 1, commit: null }
    const told = (entries: typeof removed, becomes: 'removed' | 'kept') => {
      const noLongerDeclared = entries.map((each) => ({ address, path: 'members', element: each, becomes, place }))
      const changes = [{ ...change, differences: [{ path: 'members', removed }] }]
      const head = headOf({ ...emptyPlan, changes, noLongerDeclared }, false)
      return head.block === 'head' ? head.points.map(({ kind }) => kind) : []
    }
    expect(told(removed, 'removed')).toEqual(['taken-away', 'changed'])
    expect(told([element], 'removed')).toContain('no-longer-declared')
    expect(told(removed, 'kept')).toContain('no-longer-declared')
  })

  it('does not say of an object whose lists it empties that it stays as it is', () => {
    const address = 'group/a@b' as Address
    const place = { file: 'a.yaml', line: 1, column: 1, commit: null }
    const noLongerDeclared = [{ address, becomes: 'kept', place }] as const
    const differences = [{ path: 'members', removed: [{ svcId: 'jan@example.com' }] }]
    const change = { address, kind: 'group', action: 'update', differences } as const
    const textOf = (changes: readonly (typeof change)[]): string =>
      renderPlanText({ ...emptyPlan, changes, noLongerDeclared }, { colour: false, width: 80 })
    expect(textOf([change])).toContain('is not deleted  group/a@b')
    expect(textOf([])).toContain('stays as it is  group/a@b')
  })
})

describe('the verdict on levels', () => {
  it('tells a change of level from a loss of access', () => {
    const entry = {
      subject: 'jan@example.com',
      address: 'process/p',
      company: null,
      via: [],
      kind: 'privilege',
    } as const
    const others = (level: string) => ({ others: [{ level, company: null }] })
    const of = (subject: string, level: string, more = {}) => ({ ...entry, subject, level, ...more })
    const said = (gained: readonly ReturnType<typeof of>[], lost: typeof gained, drift = false) => {
      const { points } = verdictOf({ ...emptyPlan, access: { ...noAccess('declared'), gained, lost } }, drift)
      return points.map(({ kind, sentence }) => `${kind}: ${sentence}`)
    }
    const risen = [of('jan', 'Administrator', others('ReadOnly'))]
    const gone = [of('jan', 'ReadOnly', others('Administrator')), of('eva', 'ReadOnly')]
    expect(said(risen, gone)).toEqual([
      'administrator-gained: 1 account becomes Administrator',
      'access-lost: 1 account loses access',
    ])
    expect(
      said(
        [of('ada', 'Modify', others('ReadOnly')), of('bo', 'Start', others('Modify')), of('di', 'Start')],
        [
          of('ada', 'ReadOnly', others('Modify')),
          of('cy', 'Administrator', others('Start')),
          of('ed', 'Modify', others('Start')),
          of('flo', 'Administrator'),
        ],
      ),
    ).toEqual([
      'access-lost: 1 account loses access',
      'level-lost: 1 account is no longer Administrator',
      'level-lost: 1 account changes level',
      'level-lost: 1 account loses a level',
      'access-gained: 1 account gains access',
      'access-gained: 1 account gains a level',
    ])
    expect(said([of('ed', 'Modify', others('Start'))], [of('ed', 'Start', others('Modify'))], true)).toEqual([
      'level-lost: 1 account has another level',
    ])
    // A loss elsewhere hides no level that comes instead of another one.
    const elsewhere = { address: 'process/q' }
    expect(
      said([of('ed', 'Modify', others('Start'))], [of('ed', 'Start', others('Modify')), of('ed', 'Start', elsewhere)]),
    ).toEqual(['access-lost: 1 account loses access', 'access-gained: 1 account gains a level'])
  })

  it('says what beside an unread object changes or cannot be sent', () => {
    const creates = fullPlan.changes.filter(({ action }) => action === 'create')
    const [step] = fullPlan.steps
    if (step === undefined) expect.fail()
    const steps = [{ ...step, restsOn: 'user/a' as Address }]
    const [unread] = fullPlan.unreadable
    if (unread === undefined) expect.fail()
    expect(verdictOf({ ...emptyPlan, changes: creates, steps, unreadable: [unread] }, false)).toMatchObject({
      severity: 'danger',
      sentence: '1 object could not be read, 1 step cannot be sent, 2 creations',
    })
  })
})

describe('the verdict', () => {
  it('tells of an account that nobody knows before what that name would gain', () => {
    const warning = { code: 'SVC1306', severity: 'warning', message: 'x', account: 'ana@example.com' } as const
    const entry = { subject: 'ana@example.com', address: 'process/p', company: null, via: ['g'], kind: 'privilege' }
    const unknown = [{ ...entry, level: 'Administrator', may: 'gain', perhapsGroup: true } as const] as never
    const plan = { ...emptyPlan, warnings: [warning, warning], access: { ...noAccess('declared'), unknown } }
    expect(verdictOf(plan, false)).toMatchObject({
      severity: 'danger',
      sentence: '1 account is unknown to the platform, 1 account may become Administrator',
    })
    const text = renderPlanText({ ...plan, changes: fullPlan.changes }, { colour: false, width: 100 })
    const at = (part: string) => text.indexOf(part)
    expect(at('Accounts that the platform does not have')).toBeGreaterThan(0)
    expect(at('Accounts that the platform does not have')).toBeLessThan(at('\nAccess'))
    expect(text).toContain('may gain it: the platform has no such user or group')
  })

  it('law: whatever takes away, refuses or was not read is a danger, and no plan is calmer than its parts', () => {
    fc.assert(
      fc.property(hostilePlan, fc.boolean(), (plan, drift) => {
        const { severity, points } = verdictOf(plan, drift)
        const { changes, guards, unreadable, access } = plan
        const takes =
          guards.some(({ verdict }) => verdict === 'refused') ||
          unreadable.length > 0 ||
          changes.some(({ action }) => action === 'delete') ||
          changes.some(
            ({ action, differences }) =>
              action === 'update' && differences.some(({ removed = [] }) => removed.length > 0),
          ) ||
          (access?.[drift ? 'gained' : 'lost'] ?? []).some(({ subject }) => subject !== null)
        if (takes) expect(severity).toBe('danger')
        if (changes.length > 0) expect(severity).not.toBe('none')
        expect(points.every(({ count }) => count > 0)).toBe(true)
      }),
    )
  })

  it('law: every medium says the same', () => {
    const plain = (text: string) => text.replaceAll(/\s+/g, ' ')
    fc.assert(
      fc.property(fc.constantFrom(fullPlan, accessPlan), fc.integer({ min: 40, max: 200 }), (plan, width) => {
        const { sentence, ...verdict } = verdictOf(plan, false)
        expect(plain(renderPlanText(plan, { colour: false, width }))).toContain(sentence)
        expect(renderPlanMarkdown(plan)).toContain(`: ${sentence}\n`)
        const { verdict: told } = JSON.parse(renderPlanJson(plan))
        expect(told).toMatchObject({ sentence, severity: verdict.severity })
        expect(kindsOf(told)).toEqual(kindsOf({ sentence, ...verdict }))
      }),
    )
  })
})
