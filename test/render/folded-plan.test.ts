// Long plans are folded: every change is shown or counted, the sums are right, and nothing dangerous is among what is
// only counted.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AccessDocument, AccessEntry } from '../../src/core/access/describe-access.ts'
import type { ChangeDocument, DifferenceDocument } from '../../src/core/plan/plan-document.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanSummary } from '../../src/render/plan/render-plan-summary.ts'
import { accessPlan, emptyPlan, fullPlan, place, planOf, step } from './plan-fixture.ts'

const kinds = ['user', 'group', 'process'] as const
const members = (names: readonly string[]) => names.map((name) => ({ svcId: `${name}@example.com` }))

/** The differences of an update, from harmless ones to removals. */
const differences: Readonly<Record<string, DifferenceDocument>> = {
  field: { path: 'name', before: 'Old', after: 'New' },
  added: { path: 'members', added: members(['adam', 'ewa']), removed: [] },
  administrator: { path: 'privileges', added: [{ svcId: 'adam@example.com', level: 'Administrator' }], removed: [] },
  removed: { path: 'members', added: [], removed: members(['jan']) },
}

const tenant = fc
  .tuple(
    ...kinds.map((kind) =>
      fc.record({
        kind: fc.constant(kind),
        create: fc.constantFrom(0, 3, 52, 53, 90),
        update: fc.constantFrom(0, 2, 51, 80),
        delete: fc.constantFrom(0, 1, 60),
        what: fc.array(fc.constantFrom(...Object.keys(differences)), { minLength: 1, maxLength: 5 }),
      }),
    ),
  )
  .map((all) =>
    all.flatMap(({ kind, what, ...counts }) =>
      (['create', 'update', 'delete'] as const).flatMap((action) =>
        Array.from({ length: counts[action] }, (_, index): ChangeDocument => {
          const difference = differences[what[index % what.length] as string] as DifferenceDocument
          const address = `${kind}/${action}-${String(index).padStart(2, '0')}@x.example`
          const at = action === 'delete' ? {} : { place: place(`${kind}.yaml`, index + 3) }
          return { kind, action, address, differences: action === 'update' ? [difference] : [], ...at }
        }),
      ),
    ),
  )

const plain = (text: string): string => text.replace(/\s+/g, ' ')

it('shows or counts every change, and shows what is dangerous', () => {
  fc.assert(
    fc.property(tenant, fc.integer({ min: 60, max: 200 }), fc.boolean(), fc.nat(), (changes, width, verbose, pick) => {
      const refused = changes.length === 0 ? [] : [changes[pick % changes.length]?.address ?? '']
      const steps = changes.map(({ address, action }, index) => step(index + 1, address, action))
      const guards = refused.map((address) => ({
        ...{ guard: 'no-such-thing', verdict: 'refused', sentence: `\`${address}\` must not be.`, numbers: {} },
        addresses: [address],
      }))
      const plan = planOf(changes, steps, { guards: guards as never })
      const text = renderPlanText(plan, { colour: false, width, verbose })
      for (const action of ['create', 'update', 'delete'] as const) {
        const own = changes.filter((change) => change.action === action)
        const shown = own.filter(({ address }) =>
          text.split('\n').some((line) => line.slice(4).startsWith(`${address} `) || line.slice(4) === address),
        )
        const title = { create: 'Creates', update: 'Updates', delete: 'Deletes' }[action]
        const [section = ''] = text.split('\n\n').filter((each) => each.startsWith(title))
        const [, note = ''] = /(?:… and |^Creates )([^;]*); --verbose lists them/.exec(plain(section)) ?? []
        const counted = [...note.matchAll(/(\d+) (?:more )?\w+/g)].reduce((sum, [, count]) => sum + Number(count), 0)
        expect(shown.length + counted).toBe(own.length)
        if (verbose || action === 'delete') expect(counted).toBe(0)
      }
      for (const {
        address,
        action,
        differences: [one],
      } of changes) {
        const isGrave = action === 'delete' || one === differences.removed || one === differences.administrator
        if (isGrave || refused.includes(address)) expect(text).toContain(address)
      }
      expect(text.split('\n').filter((line) => line.length > width)).toEqual([])
    }),
  )
})

it('shows whatever was changed by hand, however much it is', () => {
  const changes = Array.from({ length: 120 }, (_, index): ChangeDocument => {
    const cause = index % 2 === 0 ? 'live' : 'declared'
    const difference = { ...differences.field, cause } as DifferenceDocument
    return {
      kind: 'user',
      action: 'update',
      address: `user/u-${index}`,
      differences: [difference],
      cause: null,
    } as never
  })
  const base = { ref: 'refs/svcsync/applied/test', commit: 'abcdef1234', from: 'ledger' }
  const plan = planOf(changes, [step(1, 'user/u-1', 'update')], { base } as never)
  const text = renderPlanText(plan, { colour: false, width: 80 })
  const short = renderPlanText(plan, { colour: false, width: 80, short: true })
  for (let index = 0; index < 120; index += 2)
    for (const each of [text, short]) expect(each).toMatch(new RegExp(`~ user/u-${index}\\b`))
  expect(short).toContain('60 objects, listed after the apply')
  expect(text).toContain('… and 50 more users; --verbose lists them')
})

it('names everybody who comes to administer, and counts the others', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 60, max: 200 }),
      (people, objects, width) => {
        const gained = Array.from({ length: people }, (_, person) =>
          Array.from({ length: objects }, (_, object): AccessEntry => {
            const level = (person + object) % 3 === 0 ? 'Administrator' : 'Start'
            const via = [`g-${person}-${object}@example.com`]
            return {
              subject: `p-${person}@example.com`,
              level,
              address: `process/main/A/${object}`,
              company: null,
              via,
              kind: 'privilege',
            }
          }),
        ).flat()
        const none = {
          lost: [],
          changed: [],
          unknown: [],
          unread: 0,
          more: { gained: 0, lost: 0, changed: 0, unknown: 0 },
        }
        const access: AccessDocument = { ...none, mode: 'declared', gained }
        const text = renderPlanText({ ...emptyPlan, access }, { colour: false, width })
        for (const { subject, level } of gained) if (level === 'Administrator') expect(text).toContain(subject)
        const shown = new Set([...text.matchAll(/^ {2}\+ (p-\d+)@example\.com/gm)].map(([, who]) => who)).size
        const more = Number(/… and (\d+) more accounts?; --verbose/.exec(plain(text))?.[1] ?? 0)
        expect(shown + more).toBe(people)
        expect(text.split('\n').filter((line) => line.length > width)).toEqual([])
      },
    ),
  )
})

it('shows in a comment who loses something behind however many gain, and counts those that it leaves out', () => {
  const entry = (subject: string, level: string): AccessEntry => ({
    ...{
      subject,
      level,
      address: `process/main/A/${subject}`,
      company: null,
      via: ['g@example.com'],
      kind: 'privilege',
    },
  })
  const gained = Array.from({ length: 70 }, (_, index) => entry(`p-${index}`, index === 69 ? 'Administrator' : 'Start'))
  const lost = [entry('q', 'ReadOnly')]
  const more = { gained: 5, lost: 0, changed: 0, unknown: 0 }
  const access: AccessDocument = { mode: 'declared', gained, lost, changed: [], unknown: [], unread: 0, more }
  const text = renderPlanMarkdown({ ...emptyPlan, access })
  const [open = '', folded = ''] = text.split('<details>')
  // Administrators and losses come first, whatever else fills the rows.
  expect(open.match(/^- \*\*.\*\* .*/gm)?.slice(0, 2)).toEqual([
    expect.stringMatching(/p-69.*Administrator/),
    expect.stringContaining('`q`: ReadOnly'),
  ])
  expect(open.match(/^- \*\*\+\*\* /gm)).toHaveLength(39)
  expect(folded).toContain('<summary>… and 31 more</summary>')
  for (const said of [
    '- **+** **`p-69`**: **Administrator** on ',
    '- **−** `q`: ReadOnly on ',
    '5 more levels gained: only counted',
  ])
    expect(text).toContain(said)
})

it('fits a screen with --summary, with every change in its counts', async () => {
  const summary = (plan: typeof fullPlan, width = 80, drift = false, colour = false) =>
    renderPlanSummary(plan, { colour, width, height: 24, drift })
  const shown = [fullPlan, accessPlan].map((plan) => summary(plan)).join('\n')
  await expect(`${shown}\n${summary(fullPlan, 100, true)}`).toMatchFileSnapshot('golden/plan-summary.txt')
  const { access } = accessPlan
  const [gained] = access?.gained ?? []
  if (access === undefined || gained === undefined) expect.fail()
  const perhaps = { ...access, gained: [], unknown: [{ ...gained, may: 'gain', unseen: 'CORP' } as const] }
  expect(summary({ ...accessPlan, access: perhaps })).toContain('? 1 account may become Administrator: adam.nowak@')
  const alone = { ...planOf([], [], { kinds: {} }), accessDrift: { undeclared: 42, accepted: 0 } }
  expect(summary(alone as never, 80, true)).toContain(
    '\nDrift: 0 created, 0 changed, 0 missing, 42 levels undeclared.\n',
  )
  expect(summary(fullPlan, 80, false, true).replaceAll(/\u001b\[[\d;]+m/g, '')).toBe(summary(fullPlan))
  fc.assert(
    fc.property(tenant, fc.integer({ min: 60, max: 200 }), fc.integer({ min: 1, max: 30 }), (some, width, copies) => {
      const changes = some.flatMap((each) => [each, { ...each, kind: `${each.kind}-${each.address.length % copies}` }])
      const plan = planOf(changes, [step(1, 'user/a', 'update')], { kinds: {} })
      const lines = summary(plan, width).trimEnd().split('\n')
      expect(lines.length).toBeLessThan(24)
      expect(lines.filter((line) => line.length > width)).toEqual([])
      if (changes.length === 0) return
      const kindsOf = lines.filter((line) => /^(?:user|group|process|… and)/.test(line)).join('\n')
      for (const action of ['create', 'update', 'delete'] as const) {
        const counts = [...kindsOf.matchAll(new RegExp(`(\\d+) to ${action}`, 'g'))].map(([, count]) => Number(count))
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(plan.counts[action])
      }
      const deleted = lines.find((line) => line.startsWith('- ') && line.includes(' deleted'))
      const said = /^- (.*?) (?:is|are) deleted/.exec(deleted ?? '')?.[1] ?? ''
      const ofKinds = said.split(/, | and /).map((part) => Number.parseInt(part, 10) || 0)
      expect(ofKinds.reduce((sum, count) => sum + count, 0)).toBe(plan.counts.delete)
    }),
  )
})
