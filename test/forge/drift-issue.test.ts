// The issue of a target over HTTP, on each forge: opened, kept up to date, closed, reopened, and never two, whatever
// goes wrong in between.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOwners } from '../../src/forge/codeowners.ts'
import { decideIssue, driftLabel, isIssueOf } from '../../src/forge/drift-issue.ts'
import type { ForgeName } from '../../src/forge/forge-name.ts'
import { forges } from '../../src/forge/forges.ts'
import { type ItemStore, keepItem } from '../../src/forge/keep-item.ts'
import { longestItem, makeItem, type PretendedForge, pretendForge, token } from './pretended-forge.ts'
import { forgesOfTests } from './pretended-forges.ts'

const whole = { only: [], access: false }
const night = (day: number) => Date.parse('2026-11-01T03:17:00Z') + day * 86_400_000
const print = (index: number): string => index.toString(16).padStart(16, '0').split('').reverse().join('')

interface Run extends Partial<Parameters<typeof decideIssue>[0]> {
  readonly day?: number
  readonly drift?: readonly number[]
  readonly assignees?: readonly string[]
  readonly own?: string
}

/** A forge for each test, and nights on it. */
function useForge(name: ForgeName) {
  const { dialect, env } = forgesOfTests[name]
  const open: ItemStore[] = []
  const lab = {
    forge: undefined as unknown as PretendedForge,
    run: ({ day = 1, drift = [], assignees = [], own, ...more }: Run = {}) => {
      const items = forges[name].issues(env(lab.forge.url, own), driftLabel, async () => undefined)
      open.push(items)
      const target = 'prod'
      const fingerprints = drift.map(print)
      const found = { target, fingerprints, selection: whole, isComplete: true, ends: 0, nowMs: night(day), ...more }
      const decide = decideIssue(found, {
        ...{ assignees, unowned: 'svcsync-unowned', verdict: `${drift.length} drifted` },
        found: (since, room) => {
          const lines = fingerprints.map((each) => `- ${each} since ${since(each)}`)
          return `### ${drift.length} drifted\n${lines.join('\n').slice(0, room - 100)}`
        },
      })
      return keepItem(items, { code: 'SVC2822', isOurs: isIssueOf(target), decide })
    },
    only: () => {
      expect(lab.forge.issues).toHaveLength(1)
      return lab.forge.issues[0] as (typeof lab.forge.issues)[number]
    },
    writes: () => lab.forge.requests.filter((line) => !line.startsWith('GET') && !line.endsWith('wiql')).length,
  }
  beforeEach(async () => {
    lab.forge = await pretendForge(dialect)
  })
  afterEach(async () => {
    for (const each of open.splice(0)) each.close?.()
    await lab.forge.close()
  })
  return lab
}

const names = Object.keys(forges) as ForgeName[]

describe.each(names)('the issue on %s', (name) => {
  const lab = useForge(name)
  const { run, only, writes } = lab

  it('opens one, says how old each difference is, and closes it with a sentence', async () => {
    expect(await run()).toMatchObject({ became: 'left', item: undefined })
    expect(writes()).toBe(0)
    expect(await run({ drift: [1], day: 1 })).toMatchObject({ became: 'created', item: expect.stringContaining('#') })
    expect(only()).toMatchObject({ title: 'Drift of prod', isOpen: true, labels: [driftLabel, 'svcsync-unowned'] })
    if (name === 'gitlab') expect(only().confidential).toBe(true)
    const before = writes()
    expect((await run({ drift: [1], day: 1 })).became).toBe('unchanged')
    expect(writes()).toBe(before)
    expect((await run({ drift: [1, 2], day: 4 })).became).toBe('updated')
    expect(only().body).toContain(`- ${print(1)} since 2026-11-02\n- ${print(2)} since 2026-11-05`)
    // A healed difference that comes back is new.
    await run({ drift: [2], day: 5 })
    await run({ drift: [1, 2], day: 6 })
    expect(only().body).toContain(`- ${print(1)} since 2026-11-07\n- ${print(2)} since 2026-11-05`)
    expect((await run({ day: 7 })).became).toBe('closed')
    const sentence =
      'No drift is left: a full run over everything that is declared found none on 2026-11-08. ' +
      'The oldest difference was there since 2026-11-05.'
    expect(only()).toMatchObject({ isOpen: false, comments: [sentence] })
    expect(only().body).toContain(`### ✅ ${sentence}`)
    expect(only().body).toContain('What it was about')
    expect((await run({ day: 8 })).item).toBeUndefined()
    // The next drift is another one.
    expect((await run({ drift: [1], day: 9 })).became).toBe('created')
    expect(lab.forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, true])
    expect(lab.forge.issues[1]?.body).toContain('since 2026-11-10')
  })

  it('is closed by nothing but a complete run over the same selection', async () => {
    const groups = { only: ['group/*'], access: false }
    await run({ drift: [1], selection: { ...whole, access: true } })
    for (const selection of [whole, groups, { ...groups, access: true }])
      expect((await run({ selection })).why).toMatch(/^it is about everything that is declared and all access, and /)
    expect((await run({ isComplete: false, selection: { ...whole, access: true } })).why).toBe(
      'not everything could be read',
    )
    expect(only().isOpen).toBe(true)
    // Unreadable objects are remembered.
    await run({ drift: [2], isComplete: false, day: 5, selection: { ...whole, access: true } })
    await run({ drift: [1, 2], day: 6, selection: { ...whole, access: true } })
    expect(only().body).toContain(`- ${print(1)} since 2026-11-02\n- ${print(2)} since 2026-11-06`)
    expect((await run({ selection: { ...whole, access: true } })).became).toBe('closed')
    await run({ drift: [1], selection: groups })
    expect((await run({ selection: { only: ['user/*'], access: false } })).why).toContain('it is about `group/*`')
    expect((await run({ selection: groups })).became).toBe('closed')
  })

  it('is reopened once a day at most where somebody closes it while drift lasts', async () => {
    await run({ drift: [1], day: 1 })
    only().isOpen = false
    expect((await run({ drift: [1], day: 1.1 })).became).toBe('reopened')
    expect(only().comments).toEqual(['Reopened, since the drift is still there: 1 drifted.'])
    only().isOpen = false
    expect((await run({ drift: [1], day: 1.5 })).why).toMatch(/once a day at most/)
    expect(only().isOpen).toBe(false)
    expect((await run({ drift: [1], day: 2.2 })).became).toBe('reopened')
    expect(only().body).toContain('since 2026-11-02')
    only().isOpen = false
    await run({ day: 3 })
    expect(only().comments).toHaveLength(2)
    expect((await run({ drift: [1], day: 4 })).became).toBe('created')
  })
})

describe.each(names)('the issue beside others, on %s', (name) => {
  const lab = useForge(name)
  const { run, only } = lab

  it('ends with one where two nights open one at the same moment', async () => {
    await Promise.all([run({ drift: [1] }), run({ drift: [1] }), run({ drift: [1] })])
    expect(lab.forge.issues.filter(({ isOpen }) => isOpen)).toHaveLength(1)
    expect((await run({ drift: [1] })).became).toBe('unchanged')
    expect((await run({ day: 2 })).became).toBe('closed')
    expect(lab.forge.issues.filter(({ isOpen }) => isOpen)).toEqual([])
  })

  it('keeps what people write around its text, and takes back what they edit inside', async () => {
    await run({ drift: [1], day: 1 })
    const issue = only()
    issue.body = `Call Anna first.\n\n${issue.body.replace('1 drifted', 'all is well')}\n\nDone on Monday.`
    expect((await run({ drift: [1], day: 2 })).became).toBe('updated')
    expect(issue.body).toMatch(
      /^Call Anna first\.\n\n<!-- svcsync:drift:prod -->[\s\S]*### 1 drifted[\s\S]*\n\nDone on Monday\.$/,
    )
    expect(issue.body).toContain('since 2026-11-02')
    // Without the marker nobody knows what was ours, and how old it is.
    issue.body = 'I cleaned this up.'
    expect((await run({ drift: [1], day: 3 })).became).toBe('updated')
    expect(issue.body).toContain('### 1 drifted\n- 1000000000000000 since 2026-11-04')
    issue.body = issue.body.replace(/svcsync:memory .* -->/, 'svcsync:memory {"since":{"soon":7},"only":3} -->')
    issue.title = 'Renamed'
    await run({ drift: [1], day: 4 })
    expect(only()).toMatchObject({ title: 'Drift of prod', body: expect.stringContaining('since 2026-11-05') })
  })

  it('takes no other issue for its own', async () => {
    const others = [
      { title: 'Drift of prod', labels: ['bug'] },
      { title: 'Drift of test', body: '<!-- svcsync:drift:test -->', labels: [driftLabel] },
      { title: 'About <!-- svcsync:drift:prod-2 -->', labels: [driftLabel] },
    ]
    for (const each of others) makeItem(lab.forge.issues, each)
    for (let index = 0; index < 70; index++)
      makeItem(lab.forge.issues, { title: `Drift of t${index}`, labels: [driftLabel] })
    expect((await run({ drift: [1] })).became).toBe('created')
    expect((await run({ drift: [1, 2] })).became).toBe('updated')
    expect(lab.forge.issues).toHaveLength(others.length + 71)
    expect(lab.forge.issues.slice(0, 3).every(({ isOpen, comments }) => isOpen && comments.length === 0)).toBe(true)
  })

  it('assigns whom the forge knows, and labels what nobody is assigned to', async () => {
    await run({ drift: [1], assignees: [forgesOfTests[name].anna] })
    expect(only()).toMatchObject({
      labels: [driftLabel],
      assignees: [forgesOfTests[name].anna.replace('@anna', 'anna')],
    })
    await run()
    await run({ drift: [1], assignees: ['@nobody', 'nobody@example.com'] })
    expect(lab.forge.issues[1]).toMatchObject({ labels: [driftLabel, 'svcsync-unowned'], assignees: [] })
  })

  it('remembers 5,000 differences within the size that the forge takes', async () => {
    const drift = Array.from({ length: 5000 }, (_, index) => index)
    await run({ drift, day: 1 })
    await run({ drift, day: 3 })
    expect(only().body).toContain('since 2026-11-02')
    expect(only().body.length).toBeLessThan(longestItem)
  })
})

describe.each(names)('the issue under faults, on %s', (name) => {
  const lab = useForge(name)
  const { run, only } = lab

  const creates = name === 'azure' ? /Task$/ : /issues$/
  it.each([
    ['a read fails twice', { method: 'GET', status: 502, times: 2 }],
    ['a limit is reached', { method: 'POST', status: 429, path: creates, headers: { 'retry-after': '0' } }],
    ['the answer is lost', { method: 'POST', path: creates, carriedOut: true, status: 502, breaks: true }],
    ['it is not taken at first', { method: 'POST', path: creates, status: 503 }],
    ['somebody else writes', { method: 'POST', path: creates, status: 409 }],
  ])('is opened once where %s', async (_, order) => {
    lab.forge.order(order)
    expect(['created', 'unchanged']).toContain((await run({ drift: [1] })).became)
    expect(only().isOpen).toBe(true)
  })

  it.each([
    ['a wrong token', { own: 'wrong-token-of-the-test' }, '401', 'Check'],
    [
      'no permission',
      { status: 403 },
      `${forgesOfTests[name].title} answered 403`,
      name === 'github' ? 'issues: write' : 'needs',
    ],
  ])(
    'says what was wrong, and nothing of the token: %s',
    async (_, { status, ...more }: Run & { status?: number }, ...said) => {
      if (status !== undefined)
        lab.forge.order({ method: 'POST', path: creates, status, times: 9, message: `no, ${token}` })
      const error = (await run({ drift: [1], ...more }).catch((reason: unknown) => reason)) as {
        message: string
        hint: string
      }
      expect(error.message).toContain('The ')
      expect(error.message).toContain(said[0])
      expect(error.hint).toContain(said[1])
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('token-of-the-test')
      expect(lab.forge.issues).toEqual([])
    },
  )
})

describe('the owners of a file', () => {
  const owners = codeOwners(`# everybody
*                 @org/platform
/manifests/*      @anna # flat
manifests/hr/     @org/hr hr@example.com nobody
*.yml             @jan @not--a/../team
**/secret\\ plans/ @eva
/manifests/free/
`)
  it.each([
    ['README.md', ['@org/platform']],
    ['manifests/groups.yaml', ['@anna']],
    ['other/manifests/groups.yaml', ['@org/platform']],
    ['manifests/deep/groups.yaml', ['@org/platform']],
    ['manifests/hr/a/b.yaml', ['@org/hr', 'hr@example.com']],
    ['a/x.yml', ['@jan', '@not--a/../team']],
    ['x/secret plans/y', ['@eva']],
    ['manifests/free/a.yaml', []],
  ])('%s', (path, expected) => {
    expect(owners(path)).toEqual(expected)
  })

  it('are those of every section on GitLab, whose own owners hold where a line names none', () => {
    const inSections = codeOwners('* @all\n[Data][2] @data\n*.yaml\n^[Access]\n/groups.yaml @access\n!/old.yaml @x\n')
    expect(inSections('groups.yaml')).toEqual(['@all', '@data', '@access'])
    expect(inSections('x/groups.yaml')).toEqual(['@all', '@data'])
    expect(inSections('README.md')).toEqual(['@all'])
  })
})

it('finds owners by patterns of folders, in time that a pattern cannot explode', () => {
  const owns = (pattern: string, path: string) => codeOwners(`${pattern} @a\n`)(path).length > 0
  expect(['b', 'a/b', 'a/x/b', 'a/x/y/b'].map((path) => owns('a/**/b', path))).toEqual([false, true, true, true])
  expect(['a/b', 'a/xb', 'ab'].map((path) => owns('/a/**/b', path))).toEqual([true, false, false])
  expect(['docs/a', 'docs/a/b', 'x/docs/a'].map((path) => owns('docs/*', path))).toEqual([true, false, false])
  expect(['docs', 'docs/a', 'x/docs/a/b'].map((path) => owns('docs/', path))).toEqual([false, true, true])
  expect(['a.js', 'x/y/a.js', 'a.ts'].map((path) => owns('*.js', path))).toEqual([true, true, false])
  expect(owns(`${'*a'.repeat(400)}b`, 'a'.repeat(2000))).toBe(false)
})
