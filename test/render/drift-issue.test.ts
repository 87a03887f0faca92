// The text of an issue: what it keeps where there is no room for all.
import { expect, it } from 'vitest'
import type { ChangeDocument } from '../../src/core/plan/plan-document.ts'
import { fingerprintsOf } from '../../src/core/plan/run-history.ts'
import { renderDriftIssue } from '../../src/render/report/drift-issue.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { place, planOf } from './plan-fixture.ts'

function issueOf(changes: readonly ChangeDocument[], maxLength: number, dayOf: (index: number) => string | undefined) {
  const plan = { ...planOf(changes, []), kinds: { group: 'Groups', user: 'Users', constant: 'Global constants' } }
  const differences = fingerprintsOf(changes, 'ignore-case', sha256)
  const days = new Map(differences.map(({ fingerprint }, index) => [fingerprint, dayOf(index)]))
  return renderDriftIssue(plan, {
    ...{ differences, maxLength, today: '2026-11-26', ways: { options: ['--target prod'] }, teams: ['@org/team'] },
    since: (fingerprint) => days.get(fingerprint),
    heldSince: () => undefined,
    link: undefined,
  })
}

const member = (index: number): ChangeDocument => ({
  ...{
    address: `group/g${index}@example.com`,
    kind: 'group',
    action: 'update',
    place: place('groups.yaml', index + 1),
  },
  differences: [{ path: 'members', added: [], removed: [{ svcId: `eve${index}@example.com` }] }],
})
const value = (index: number): ChangeDocument => ({
  ...{ address: `constant/main/C${index}`, kind: 'constant', action: 'update' },
  differences: [{ path: 'common', before: `new ${index}`, after: `old ${index}` }],
})
const gone = (index: number): ChangeDocument => ({
  ...{ address: `user/u${index}@example.com`, kind: 'user', action: 'create', differences: [] },
})

it('holds 5,000 differences: who got something first, the others by kind, each with a count', () => {
  const changes = Array.from({ length: 5000 }, (_, index) =>
    index % 100 === 0 ? member(index) : index % 2 === 0 ? value(index) : gone(index),
  )
  const text = issueOf(changes, 30_000, (index) => (index === 4002 ? '2026-11-22' : '2026-11-26'))
  expect(text.length).toBeLessThanOrEqual(30_000)
  expect(text).toMatch(/^### /)
  expect(text).toContain('5,000 differences, 4,999 of them new today; the oldest since 2026-11-22, 4 days.')
  for (let index = 0; index < 5000; index += 100) {
    expect(text).toContain(`svcsync accept --target prod --only group/g${index}@example.com\n`)
    expect(text).toContain(`\`eve${index}@example.com\``)
  }
  expect(text).toMatch(/2,[45]\d\d more users: /)
  expect(text).toMatch(/2,4\d\d more constants: .* \(the oldest since 2026-11-22, 4 days\)/)
  expect(text).toContain('To heal, so that the platform is as declared: `svcsync apply --target prod`')
  expect(text.endsWith('\nOwners of the lines: @org/team\n')).toBe(true)
})

it('says at least the verdict and the counts where there is next to no room', () => {
  const text = issueOf(
    Array.from({ length: 5000 }, (_, index) => gone(index)),
    3000,
    () => '2026-11-26',
  )
  expect(text.length).toBeLessThanOrEqual(3000)
  expect(text).toContain('5,000 differences, new today.')
  expect(text).toContain('<summary>Users: 5,000 objects</summary>')
})

it('tells the age of the oldest difference of an object, and that others are newer', () => {
  const [change] = [member(1)]
  const both: ChangeDocument = {
    ...(change as ChangeDocument),
    differences: [...(change?.differences ?? []), { path: 'name', before: 'x', after: 'y' }],
  }
  const text = issueOf([both], 60_000, (index) => (index === 0 ? '2026-11-25' : '2026-11-26'))
  expect(text).toContain(
    '- `group/g1@example.com` since 2026-11-25, 1 day (`manifests/groups.yaml:2:5`)<br>1 difference newer, ' +
      'the last since today<br>members + `eve1@example.com`<br>name `y` → `x`\n',
  )
  expect(issueOf([both], 60_000, () => undefined)).not.toContain(' since ')
})

it('mentions nobody but the owners, and links to nothing', () => {
  const text = issueOf([{ ...member(1), address: 'group/@all #7 [x](y) <b>' }], 60_000, () => '2026-11-26')
  expect(text.replace(/`[^`]*`|^svcsync .*$/gm, '')).not.toMatch(/@all|<b>|#7/)
  expect(text.match(/@org\/team/g)).toHaveLength(1)
})
