// Fields that are only tested, by `has` or `.?`, must be ones that the schema knows: the test would never hold.
import { expect, it } from 'vitest'
import { policyOf, shortly } from './policy-fixture.ts'

it.each([
  ['has(object.nmae)', 'group', {}, 'p.yaml:1:68 there is no field `nmae`, did you mean `name`?'],
  ['object.members.all(m, has(m.untl))', 'group', {}, '`untl`'],
  ['object.?nmae.orValue("") == ""', 'group', {}, '`nmae`'],
  ['object.?sql.?prd.?server.orValue("") == ""', 'connection', {}, '`prd`'],
  ['has(object.sql.prd.server)', 'connection', {}, '`prd`'],
  ['"has(object.nmae)" == kind || has(object.nmae)', 'group', {}, '`nmae`'],
  ['has(entry.licenced) && held.exists(h, h.level == "Start")', 'process', { on: 'access' }, '`licenced`'],
  ['held.exists(h, has(h.sinc))', 'process', { on: 'access' }, '`sinc`'],
  ['!has(before.nmae)', 'group', { on: 'change' }, '`nmae`'],
  ['has(object.name)', 'process', { on: 'access' }, 'no variable `object`'],
])('%s is an error for %s', (expression, kind, more, says) => {
  const { policies, problems } = policyOf(expression, [kind], more)
  expect(policies).toEqual([])
  const [problem, ...others] = problems
  expect(others).toEqual([])
  expect(problem?.code).toBe('SVC1803')
  const words = says.replace(/^p\.yaml:\S+ /, '').replace(/, did.*$/, '')
  expect(problem?.message).toContain(words)
})

it('says where, and what was probably meant', () => {
  const { problems } = policyOf('true && has(object.nmae)')
  expect(shortly(problems)).toEqual(['p.yaml:1:76 SVC1803 `expression` cannot be used: there is no field `nmae`'])
  expect(problems[0]?.hint).toContain('`name`')
  const missing = policyOf('entry.level == ""').problems
  expect(missing[0]?.hint).toBe('`entry` is there for policies with `on: access`.')
})

it.each([
  ['has(object.email) && object.email != null', 'group', {}],
  ['object.?sql.?prod.?server.orValue("") == ""', 'connection', {}],
  ['object.?members.orValue([]).all(m, !has(m.until) || m.until <= today)', 'group', {}],
  ['object.?email.hasValue() || object.?name.or(object.?email).value() != ""', 'group', {}],
  ['has(target.name) && "has(x.y)" != ""', 'group', {}],
  ['cel.bind(p, object.?sql.?prod, !p.hasValue())', 'connection', {}],
  ['!has(entry.since) || entry.since < today', 'process', { on: 'access' }],
  ['entry.?licensed.orValue(true)', 'process', { on: 'access' }],
])('%s is none for %s', (expression, kind, more) => {
  expect(shortly(policyOf(expression, [kind], more).problems)).toEqual([])
})
