// The plan that people read before they confirm.
import { expect, it } from 'vitest'
import { noAccess } from '../../src/core/access/describe-access.ts'
import type { ChangeDocument } from '../../src/core/plan/plan-document.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { indent, piece, wrapItems } from '../../src/render/text/line.ts'
import {
  accessPlan,
  emptyPlan,
  fullPlan,
  hugePlan,
  place,
  planOf,
  pruningPlan,
  refusedPlan,
  step,
} from './plan-fixture.ts'
import { setsPlan } from './sets-plan.ts'

const plain = { colour: false, width: 80 }

type Unlooked = NonNullable<typeof accessPlan.access>['unlooked']

it('shows every form of difference', async () => {
  await expect(renderPlanText(fullPlan, plain)).toMatchFileSnapshot('golden/plan-80.txt')
})

it('asks for no digest of a change: thousands would be made for nothing', () => {
  let asked = 0
  const changes = fullPlan.changes.map((change) => ({
    ...change,
    get digest() {
      asked += 1
      return ''
    },
  }))
  renderPlanText({ ...fullPlan, changes }, plain)
  expect(asked).toBe(0)
})

it('names all of many alike when asked, and says nothing of access where nobody moves', () => {
  const verbose = renderPlanText(accessPlan, { ...plain, verbose: true })
  expect(verbose).toContain('clerk-43@example.com')
  expect(
    renderPlanText({ ...accessPlan, access: { ...accessPlan.access, ...noAccess('declared') } }, plain),
  ).not.toContain('Access')
})

it('says where nobody looked who gains what, and of an undo that it looked at no manifest', () => {
  const told = (unlooked: Unlooked, more: Partial<typeof accessPlan> = {}) => {
    const plan = { ...accessPlan, access: { ...noAccess('declared'), ...(unlooked && { unlooked }) }, ...more }
    return [renderPlanText(plan, plain), renderPlanMarkdown(plan)].map((text) => text.replace(/\s+/g, ' '))
  }
  const base = { ref: 'j.jsonl', commit: null, from: 'journal' as const }
  for (const text of told('people')) {
    expect(text).toContain('Not read: who gains and who loses access, since the project file says `access: none`.')
  }
  for (const text of told(undefined)) expect(text).not.toContain('Not read')
  for (const text of told('groups')) expect(text).toContain('what groups hold on undeclared objects (')
  for (const text of told('groups', { base })) {
    expect(text).toContain('what groups hold on other objects, and substitutions')
    expect(text).toContain('access through groups to other objects is not known')
  }
  // What it says of the objects of the journal stands beside it.
  const gained = accessPlan.access?.gained.slice(0, 1) ?? []
  const known = { ...noAccess('declared'), gained, unlooked: 'groups' as const }
  for (const text of told('groups', { base, access: known, changes: [], guards: [] }))
    expect(text).toMatch(/1 account becomes Administrator.*access through groups to other objects is not known/)
  for (const text of told('groups')) expect(text).not.toContain('access through groups')
  for (const text of told('represented')) expect(text).toContain('what people with a substitute hold')
  for (const text of told('stand-ins')) expect(text).toContain('Not read: substitutions, since no manifest declares')
  for (const text of told('stand-ins', { base })) expect(text).toContain('Not read: substitutions.')
})

it('shows what is pruned, what is kept, and what was not looked at', () => {
  expect(renderPlanText(pruningPlan, { ...plain, verbose: true })).toContain('group/proj-11@example.com: ')
  const selected = renderPlanText({ ...pruningPlan, only: ['group/proj-*'] }, plain).replace(/\s+/g, ' ')
  expect(selected).toContain('Declared lists that `--only` selects let go of them first')
})

it('shows the line of a set and the line in it, and says once what many have in common', () => {
  const lines = renderPlanText(setsPlan, { ...plain, width: 100 }).split('\n')
  expect(lines.filter((line) => line.length > 100)).toEqual([])
  const svcIds = Array.from({ length: 200 }, (_, index) => `user-${index}@example.com`)
  const throughSets = svcIds.map((svcId, index) => ({
    svcId,
    set: 'staff',
    place: place('groups.yaml', 4),
    listedAt: place('staff.yaml', 200 - index),
  }))
  const differences = [{ path: 'members', added: svcIds.map((svcId) => ({ svcId })), removed: [], throughSets }]
  const change = { address: 'group/a', kind: 'group', action: 'update' as const, differences }
  const text = renderPlanText(planOf([change], [step(1, 'group/a', 'add')]), plain)
  expect(text.split('through set staff').length).toBe(2)
  expect(text.split('staff.yaml').length).toBe(2)
  expect(text).toContain('+user-199@example.com manifests/staff.yaml:1:5\n')
  expect(text).toContain('… and 190 more, --verbose for all\n')
  expect(renderPlanText(planOf([change], [step(1, 'group/a', 'add')]), { ...plain, verbose: true })).toContain(
    ' +user-0@example.com :200:5\n',
  )
})

it('names ten of many who come and fifty of many who go, and all when asked', () => {
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ svcId: `${prefix}${String(index).padStart(3, '0')}` }))
  const differences = [{ path: 'members', added: names('new', 500), removed: names('old', 60) }]
  const change = { address: 'group/a', kind: 'group', action: 'update' as const, differences }
  const plan = planOf([change], [step(1, 'group/a', 'add')])
  const text = renderPlanText(plan, plain)
  expect(text.replace(/\s+/g, ' ')).toContain('+new009 … and 490 more, --verbose for all')
  expect(text).toContain('-old049')
  expect(text).not.toContain('-old050')
  expect(text.replace(/\s+/g, ' ')).toContain('… and 10 more, --verbose for all')
  expect(text.split('\n').length).toBeLessThan(20)
  expect(renderPlanText(plan, { ...plain, verbose: true })).toContain('-old059')
  const markdown = renderPlanMarkdown(plan)
  expect(markdown).toContain('… and 490 more, in the output of the command')
  expect(markdown.split('\n').length).toBeLessThan(100)
})

it('never leaves the file and line out, however little room there is', () => {
  const change = {
    ...{ address: `group/${'a-long-name-'.repeat(6)}@example.com`, kind: 'group', action: 'update' as const },
    ...{ differences: [{ path: 'name', before: 'a', after: 'b' }], place: place('groups.yaml', 12) },
  }
  for (const width of [40, 60, 80, 100]) {
    const text = renderPlanText(planOf([change], [step(1, change.address, 'update')]), { ...plain, width })
    expect(text).toContain('manifests/groups.yaml:12:5')
  }
})

it('tells the line of the override that a value comes from', () => {
  const overridden = { file: 'overrides/prod/groups.yaml', line: 3, column: 7 }
  const differences = [
    { path: 'name', before: 'a', after: 'b', place: overridden },
    { path: 'email', before: 'a@example.com', after: 'b@example.com', place: place('groups.yaml', 13) },
    { path: 'members', added: [{ svcId: 'jan' }], removed: [], place: overridden },
  ]
  const change = { address: 'group/a', kind: 'group', differences, place: place('groups.yaml', 12) }
  const plan = planOf([{ ...change, action: 'update' }], [step(1, 'group/a', 'update')])
  const text = renderPlanText(plan, plain)
  expect(text).toMatch(/name +a → b {2}overrides\/prod\/groups\.yaml:3:7\n/)
  expect(text).toMatch(/email +a@example\.com → b@example\.com\n/)
  expect(text).toMatch(/members +\+jan {2}overrides\/prod\/groups\.yaml:3:7\n/)
  expect(renderPlanMarkdown(plan)).toContain('name `a` → `b` (`overrides/prod/groups.yaml:3:7`)<br>')
  const created = planOf([{ ...change, action: 'create' }], [step(1, 'group/a', 'create')])
  expect(renderPlanText(created, plain)).toContain('name: b overrides/prod/groups.yaml:3:7 · email: b@example.com')
})

it('shows a name with slashes whole', () => {
  const address = 'group/Dział Ślusarski/ÄÖ'
  const differences = [{ path: 'name', before: 'a', after: 'b' }]
  const plan = planOf(
    [{ address, kind: 'group', action: 'update', differences }],
    [step(1, address, 'update', { at: { name: 'Dział Ślusarski/ÄÖ' } })],
  )
  expect(renderPlanText(plan, plain)).toContain('\n  ~ group/Dział Ślusarski/ÄÖ  name  a → b\n')
})

it('says of many refusals how many it leaves out, and all of them when asked', () => {
  const [first] = refusedPlan.guards
  const guards = Array.from({ length: 63 }, () => first as (typeof refusedPlan.guards)[number])
  expect(renderPlanText({ ...refusedPlan, guards }, plain)).toContain('… and 53 more guards; --verbose lists them')
  expect(renderPlanText({ ...refusedPlan, guards }, { ...plain, verbose: true }).split('✗ deletions').length).toBe(64)
})

it('shows everything when asked', async () => {
  await expect(renderPlanText(fullPlan, { ...plain, verbose: true })).toMatchFileSnapshot('golden/plan-verbose.txt')
})

it('colours without changing a character', () => {
  const coloured = renderPlanText(fullPlan, { ...plain, colour: true })
  expect(coloured).toContain('\u001b[1mgroup/old@example.com\u001b[0m')
  expect(coloured.replaceAll(/\u001b\[[\d;]+m/g, '')).toBe(renderPlanText(fullPlan, plain))
})

it('keeps lines within the width', () => {
  for (const width of [60, 80, 120]) {
    const lines = renderPlanText(fullPlan, { ...plain, width }).split('\n')
    expect(lines.filter((line) => line.length > width)).toEqual([])
  }
})

it('folds more than ten creations of a kind into a line, and shows all their fields when asked', () => {
  const text = renderPlanText(hugePlan(1500), plain)
  expect(text.split('\n').length).toBeLessThan(10)
  expect(text).toContain('\nCreates 1,500 users; --verbose lists them\n')
  expect(renderPlanText(hugePlan(1500), { ...plain, drift: {} })).toContain('… and 1,490 more users; --verbose lists')
  expect(text).toContain('Plan: 1,500 creations; 1,500 requests.')
  expect(renderPlanText(hugePlan(1500), { ...plain, verbose: true })).toContain('email: user-0007@example.com')
  expect(renderPlanText(hugePlan(10), plain)).toContain('email: user-0007@example.com')
})

it('takes two lines where there is nothing to do, and under fifteen for a swap of one member', () => {
  expect(
    renderPlanText(emptyPlan, plain)
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
  ).toHaveLength(2)
  const differences = [
    { path: 'members', added: [{ svcId: 'new@example.com' }], removed: [{ svcId: 'old@example.com' }] },
  ]
  const swap = planOf(
    [{ address: 'group/a', kind: 'group', action: 'update', differences, place: place('groups.yaml', 4) }],
    [step(1, 'group/a', 'add'), step(2, 'group/a', 'remove')],
    {
      access: {
        ...noAccess('declared'),
        gained: accessPlan.access?.gained.slice(0, 1) ?? [],
        lost: accessPlan.access?.lost.slice(1, 2) ?? [],
      },
      guards: fullPlan.guards,
    },
  )
  expect(
    renderPlanText(swap, { ...plain, width: 100, offersDigest: true })
      .trimEnd()
      .split('\n').length,
  ).toBeLessThan(15)
})

it('tells once what one loses and another gains, unless all is asked for', () => {
  const [first, second] = accessPlan.access?.gained ?? []
  if (first === undefined || second === undefined) throw new Error('two entries')
  const of = (subject: string) => [first, second].map((entry) => ({ ...entry, subject }))
  const access = { ...noAccess('declared'), gained: of('new@example.com'), lost: of('old@example.com') }
  const swapped = planOf([], [step(1, 'group/a', 'add')], { access })
  expect(renderPlanText(swapped, plain)).toMatch(/ - old@example\.com +all +that new@example\.com gains\n/)
  expect(renderPlanMarkdown(swapped)).toContain('- **−** `old@example.com`: all that `new@example.com` gains')
  expect(renderPlanText(swapped, { ...plain, verbose: true })).not.toContain(' gains')
})

it('names the others where very many objects lose something, and shows the first of them', () => {
  const gone = Array.from({ length: 120 }, (_, index): ChangeDocument => {
    return { kind: 'user', action: 'delete', address: `user/u${index}@example.com`, differences: [] }
  })
  const text = renderPlanText(planOf(gone, []), plain)
  expect(text.replace(/\s+/g, ' ')).toContain('and 70 more, whose details --verbose has: user/u50@example.com, user')
  for (const { address } of gone) expect(text).toContain(address)
  expect(text.split('\n').length).toBeLessThan(90)
})

it('says that nothing is to do only when all was read', () => {
  expect(renderPlanText(emptyPlan, plain)).toContain(
    'test (https://test.example.com): no changes. 12 objects are as declared.\n',
  )
  const unreadable = [{ address: 'group/a@example.com', reason: 'The connection broke' }]
  const text = renderPlanText({ ...emptyPlan, unreadable }, plain)
  expect(text).not.toContain('no changes')
  expect(text).not.toContain('as declared')
  expect(text).toContain('! group/a@example.com  The connection broke\n')
  const unverifiable = [{ address: 'connection/main/ERP', paths: ['sql.common.password'] }]
  expect(renderPlanText({ ...emptyPlan, unverifiable }, plain)).toMatch(
    /as declared, as far\s+as they can be compared\./,
  )
})

it('shows the reference of what is masked, and never what was there', () => {
  for (const after of ['${env:NEW}', { reference: '${env:NEW}' }, { password: { reference: '${env:NEW}' } }]) {
    const differences = [{ path: 'common', masked: true as const, before: 'hunter2', after }]
    const change = { address: 'constant/main/A', kind: 'constant', action: 'update' as const, differences }
    const text = renderPlanText(planOf([change], [step(1, change.address, 'update')]), { ...plain, verbose: true })
    expect(text).toContain('(hidden) → ${env:NEW}')
    expect(text).not.toContain('hunter2')
  }
})

it('shows where long values differ', () => {
  const start = 'x'.repeat(1000)
  const differences = [{ path: 'common', before: `${start}old`, after: `${start}new` }]
  const change = { address: 'constant/main/A', kind: 'constant', action: 'update' as const, differences }
  const text = renderPlanText(planOf([change], [step(1, change.address, 'update')]), plain)
  expect(text).toContain('xold (1,003')
  expect(text).toContain('xnew (1,003')
  expect(text.length).toBeLessThan(750)
})

it('falls back to the start of both texts where too much differs', () => {
  const lines = (word: string) => Array.from({ length: 2000 }, (_, index) => `${word} ${index}`).join('\n')
  const differences = [{ path: 'common', before: lines('old'), after: lines('new') }]
  const change = { address: 'constant/main/A', kind: 'constant', action: 'update' as const, differences }
  const text = renderPlanText(planOf([change], [step(1, change.address, 'update')]), plain)
  expect(text).toContain('        - old 4\n        … 1,995 more lines\n        + new 0\n')
})

it('tells values apart that look alike', () => {
  const values = ['10', 10, 'true', ' a', '(inherits)', '${env:A}', 'a\u001b[2J"b"', 'plain words']
  const differences = values.map((after, index) => ({ path: `field${index}`, before: 'x', after }))
  const change = { address: 'user/a', kind: 'user', action: 'update' as const, differences, place: place('a', 1) }
  expect(renderPlanText(planOf([change], [step(1, 'user/a', 'update')]), plain)).toContain(
    [
      '      field0  x → "10"',
      '      field1  x → 10',
      '      field2  x → "true"',
      '      field3  x → " a"',
      '      field4  x → "(inherits)"',
      '      field5  x → "${env:A}"',
      '      field6  x → "a\\u{1b}[2J\\"b\\""',
      '      field7  x → plain words',
    ].join('\n'),
  )
})

it('puts names that are too wide behind their label below it, and breaks none', () => {
  const name = `+${'n'.repeat(44)}@example.com`
  const lines = wrapItems([indent(6), piece('members (2): ')], [[piece('+a@example.com')], [piece(name)]])(66)
  expect(lines.map((line) => line.map(({ text }) => text).join(''))).toEqual([
    '      members (2): ',
    '        +a@example.com',
    `        ${name}`,
  ])
})

it('tells a swap through nested groups by one line of groups, and each chain when asked', () => {
  const [entry] = accessPlan.access?.gained ?? []
  if (entry === undefined) throw new Error('an entry')
  const chain = ['a@example.com', 'b@example.com', 'c@example.com']
  const of = (subject: string) =>
    ['Modify', 'Start', 'ReadOnly'].map((level, at) => ({
      ...{ ...entry, subject, level, via: chain.slice(0, at + 1) },
      address: `process/main/Purchasing/${at < 2 ? 'Orders' : 'Returns'}`,
    }))
  const own = { gained: of('new@example.com'), lost: of('old@example.com'), unlooked: 'groups' as const }
  const swap = planOf([], [step(1, 'group/a', 'add')], { access: { ...noAccess('declared'), ...own } })
  const text = renderPlanText(swap, { ...plain, width: 100 })
  expect(text).toContain('Access to declared objects through a@example.com (in part through 2 more groups)\n')
  expect(text).toMatch(/ {2}\+ new@example\.com +Modify, Start on process Orders; ReadOnly on process Returns\n/)
  expect(text).toMatch(/ {2}- old@example\.com +all that new@example\.com gains\n/)
  expect(text).not.toContain('Not read:')
  const whole = renderPlanText(swap, { ...plain, width: 100, verbose: true })
  for (const said of [`through ${chain.join(' › ')}`, 'Not read: what groups hold on undeclared objects'])
    expect(whole).toContain(said)
  expect(renderPlanMarkdown(swap)).toMatch(/^- \*\*−\*\* `old@example\.com`: all that `new@example\.com` gains$/m)
})
