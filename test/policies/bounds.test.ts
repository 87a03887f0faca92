// Entries of lists show when they begin and end, as manifests say it.
import { expect, it } from 'vitest'
import { judged, policyOf } from './policy-fixture.ts'

const manifest = `sets: { staff: [{ svcId: s@example.com, until: 2031-06-30 }] }
groups:
  - svcId: g@example.com
    members:
      - a@example.com
      - { svcId: b@example.com, from: 1969-12-01, until: 2030-01-31 }
      - { svcId: B@example.com, from: 2030-02-01, until: 2030-03-31 }
      - { set: staff }
licenses:
  - svcId: a@example.com
    licenses: [{ type: DesignerDeskUser, until: 2030-05-01 }, { type: User }]
`

it.each([
  [
    'object.members.filter(m, has(m.until)).map(m, m.svcId + " " + m.until) == ["b@example.com 2030-03-31", ' +
      '"s@example.com 2031-06-30"]',
    'group',
  ],
  ['object.members.filter(m, has(m.from)).map(m, m.svcId + " " + m.from) == ["b@example.com 1969-12-01"]', 'group'],
  [
    'object.licenses.filter(l, has(l.until)).map(l, l.item + " " + l.until) == ["DesignerDeskUser 2030-05-01"]',
    'license',
  ],
])('%s', (expression, kind) => {
  expect(judged(policyOf(expression, [kind]), manifest)).toEqual([])
})

it('shows them in changes, too', () => {
  const { problems } = policyOf(
    'added.all(a, has(a.until)) && after.?members.orValue([]).all(m, has(m.until))',
    ['group'],
    {
      on: 'change',
    },
  )
  expect(problems).toEqual([])
})
