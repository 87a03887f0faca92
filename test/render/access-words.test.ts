// The words of grant, revoke and a review: nobody gains or loses what only somebody else does.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AccessEntry, noAccess } from '../../src/core/access/describe-access.ts'
import { renderPlanMarkdown } from '../../src/render/plan/plan-blocks.ts'
import { accessChangeText } from '../../src/render/report/access-change.ts'
import { formatEntry } from '../../src/render/report/access-review.ts'
import { emptyPlan } from './plan-fixture.ts'

const object = 'process/main/A/P'
const entry = (subject: string, level: string): AccessEntry => {
  return { subject, level, address: object, company: null, via: [], kind: 'privilege', unseen: 'auditors@corp' }
}

it('says together only accounts that would lose the same', () => {
  const way = {
    ...{ way: 'cut' as const, edits: [], achieves: true, others: [], besides: [], lost: [], breaks: [] },
    perhaps: [entry('anna', 'Start'), entry('jan', 'Start'), entry('anna', 'Modify'), entry('eva', 'Start')],
  }
  const wanted = { person: 'anna', level: 'Start', object, company: null }
  const text = accessChangeText(
    { verb: 'revoke', wanted, ways: [way], chosen: 0, fixed: [] },
    { colour: false, width: 200 },
  )
  const why = 'svcsync does not know who is in auditors@corp.'
  expect(text.split('\n').slice(2)).toEqual([
    `      anna may lose Start, Modify on ${object}: ${why}`,
    `      jan, eva may lose Start on ${object}: ${why}`,
    '',
  ])
})

it('says of a substitute for whom they stand in, and of owners what they own', () => {
  const more = { company: null, since: null, object }
  const through = ['as substitute of eva from 2026-01-01 until 2026-12-31', 'clerks']
  expect(formatEntry({ person: 'jan', level: 'Start', through, ...more })).toBe(
    `jan  Start on ${object}  ${through.join(' › ')}`,
  )
  expect(formatEntry({ person: 'jan', level: 'Start', through: ['clerks'], ...more })).toBe(
    `jan  Start on ${object}  through clerks`,
  )
  expect(formatEntry({ person: 'jan', level: 'owner', through: [], ...more })).toBe(`jan  owner of ${object}`)
})

it('says that somebody keeps a level beside what comes, unless what comes takes it in', () => {
  const rowsOf = (levels: readonly (readonly [string, string | null])[], drift = false) => {
    const others = [
      ...['Modify', 'Start'].map((level) => ({ level, company: 'PL01' })),
      { level: 'Start', company: 'DE' },
    ]
    const gained = levels.map(([level, company]) => ({ ...entry('anna', level), company, others }))
    const plan = { ...emptyPlan, access: { ...noAccess('declared'), gained } }
    return renderPlanMarkdown(plan, drift ? { drift: {} } : {}).match(/\((?:keeps|beside) .*?\)\)/g)
  }
  expect(rowsOf([['Start', null]])).toEqual(['(keeps Modify (PL01))'])
  expect(
    rowsOf([
      ['ReadOnly', null],
      ['Start', null],
    ]),
  ).toEqual(['(keeps Modify (PL01))'])
  expect(rowsOf([['Start', 'FR']])).toEqual(['(keeps Modify (PL01), Start (PL01), Start (DE))'])
  expect(rowsOf([['Start', null]], true)).toEqual(['(beside Modify (PL01), Start (PL01), Start (DE))'])
})

/** Gains by chains that are a part of one. */
const gains = fc.uniqueArray(
  fc.record({
    level: fc.constantFrom('Administrator', 'Modify', 'Start'),
    address: fc.constantFrom('process/main/Purchasing/Orders', 'process/main/Purchasing/Returns'),
    company: fc.constantFrom(null, 'PL01'),
    via: fc.constantFrom([], ['a@x'], ['a@x', 'b@x'], ['a@x', 'b@x', 'c@x'], ['c@x']),
  }),
  { minLength: 1, maxLength: 12, selector: ({ level, address, company }) => `${level} ${address} ${company}` },
)

it('law: a comment joins ways, and leaves out no level on no object', () => {
  fc.assert(
    fc.property(gains, (all) => {
      const gained = all.map((each) => ({ ...each, subject: 'p@x', kind: 'privilege' as const }))
      const text = renderPlanMarkdown({ ...emptyPlan, access: { ...noAccess('declared'), gained } })
      const [, item = ''] = /^- \*\*\+\*\* \*{0,2}`p@x`\*{0,2}: (.*)$/m.exec(text) ?? []
      const told = item.split(/; |<br>|, (?=through|directly)/).flatMap((clause) => {
        const [levels = '', objects] = clause.replaceAll('**', '').split(' on ')
        const on = (objects ?? '').split(', ').map((object) => object.replaceAll('`', '').split(' ').at(-1))
        return objects === undefined ? [] : levels.split(', ').flatMap((level) => on.map((each) => `${level} ${each}`))
      })
      const saidOf = ({ level, address, company }: (typeof all)[number]) =>
        `${level}${company === null ? '' : ` (${company})`} ${address.split('/').at(-1)}`
      // An entry for one company is no news beside one for all.
      for (const each of all)
        expect(told).toSatisfy(() => told.includes(saidOf(each)) || told.includes(saidOf({ ...each, company: null })))
      expect(all.map(saidOf)).toEqual(expect.arrayContaining(told))
    }),
  )
})
