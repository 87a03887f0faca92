// What grant, revoke and a review say: nobody is said to gain or lose what only somebody else does.
import { expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { accessChangeText } from '../../src/render/report/access-change.ts'
import { entrySaid } from '../../src/render/report/access-review.ts'

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
  const text = accessChangeText({ verb: 'revoke', wanted, ways: [way], chosen: 0 }, { colour: false, width: 200 })
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
  expect(entrySaid({ person: 'jan', level: 'Start', through, ...more })).toBe(
    `jan  Start on ${object}  ${through.join(' › ')}`,
  )
  expect(entrySaid({ person: 'jan', level: 'Start', through: ['clerks'], ...more })).toBe(
    `jan  Start on ${object}  through clerks`,
  )
  expect(entrySaid({ person: 'jan', level: 'owner', through: [], ...more })).toBe(`jan  owner of ${object}`)
})
