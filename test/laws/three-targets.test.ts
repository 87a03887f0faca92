// The law of histories for three targets of one project: real git, a real ledger, scopes that change, a promotion, and
// waves. Each target has what its commit says within its scope; what leaves the scope stays; and production has no
// commit before the target before it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, openGitRemote } from '../harness/git-remote.ts'
import { tryLaw } from './law-runs.ts'

const accounts = ['a', 'b', 'c'].map((name) => `${name}@example.com`)
const groups = ['fin', 'hr'] as const
type Group = (typeof groups)[number]
/** Who is listed in a group, whole; null: it is not declared. */
type Says = Readonly<Record<Group, readonly string[] | null>>
/** The scope of a target. */
type Scope = readonly Group[]
const names = ['test', 'part', 'prod'] as const
type Name = (typeof names)[number]

interface Written {
  readonly says: Says
  /** The scope of `part`; the others have all. */
  readonly scope: Scope
}

type Event =
  | ({ readonly does: 'commit' } & Written)
  | { readonly does: 'apply'; readonly target: Name; readonly fails: boolean }
  | { readonly does: 'rollout' }
  | { readonly does: 'hand'; readonly target: Name; readonly group: Group; readonly account: string }

const list = fc.option(fc.subarray(accounts), { nil: null, freq: 4 })
const written = fc.record({
  says: fc.record({ fin: list, hr: list }),
  scope: fc.subarray([...groups], { minLength: 1 }),
})
const target = fc.constantFrom(...names)
const life: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: written.map((each) => ({ does: 'commit' as const, ...each })) },
    {
      weight: 4,
      arbitrary: fc.record({ does: fc.constant('apply' as const), target, fails: fc.constantFrom(false, false, true) }),
    },
    { weight: 1, arbitrary: fc.constant({ does: 'rollout' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ does: fc.constant('hand' as const), target },
        ...{ group: fc.constantFrom(...groups), account: fc.constantFrom(...accounts) },
      }),
    },
  ),
  { minLength: 6, maxLength: 12 },
)

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
let emulators: Readonly<Record<Name, Emulator>>
beforeAll(async () => {
  const started = await Promise.all(names.map(async (name) => [name, await startEmulator()] as const))
  emulators = Object.fromEntries(started) as never
})
afterAll(() => Promise.all(Object.values(emulators).map((each) => each.close())))

type Members = Readonly<Record<Group, readonly string[]>>
const membersOf = (name: Name): Members => {
  const all = emulators[name].state().groups as readonly { svcId: string; members?: readonly string[] }[]
  const of = (group: Group) => [...(all.find(({ svcId }) => svcId === `${group}@example.com`)?.members ?? [])].sort()
  return { fin: of('fin'), hr: of('hr') }
}

const scopeIn = (name: Name, { scope }: Written): Scope => (name === 'part' ? scope : groups)

/** A project, its remote, and what a simple mind remembers. */
class World {
  readonly dir = mkdtempSync(join(tmpdir(), 'svcsync-three-'))
  private readonly remote = openGitRemote()
  private commits = 0
  private now: Written = { says: { fin: null, hr: null }, scope: groups }
  /** By target: what the platform may have from svcsync, the last one that was applied to its end first. */
  private readonly given: Record<Name, readonly Written[]> = { test: [], part: [], prod: [] }
  /** By target: the number of the commit that is applied. */
  private readonly applied: Record<Name, number | undefined> = { test: undefined, part: undefined, prod: undefined }

  constructor() {
    for (const each of Object.values(emulators)) {
      each.clearFaults()
      each.load({
        users: accounts.map((svcId) => ({ svcId, name: svcId })),
        groups: groups.map((name) => ({ svcId: `${name}@example.com`, name, members: [accounts[0]] })),
      } as never)
    }
    mkdirSync(join(this.dir, 'manifests'))
    this.write()
    this.remote.adopt(this.dir)
    this.commit(this.now)
  }

  close(): void {
    this.remote.close()
    rmSync(this.dir, { recursive: true, force: true })
  }

  commit(now: Written): void {
    const isSame = this.commits > 0 && JSON.stringify(now) === JSON.stringify(this.now)
    this.now = now
    this.write()
    writeFileSync(join(this.dir, 'notes.md'), `${Math.random()}`)
    commitAll(this.dir, 'Commit')
    // What touches nothing of the project is the same to a promotion.
    if (!isSame) this.commits++
  }

  private write(): void {
    const { says, scope } = this.now
    const items = groups.flatMap((group) =>
      says[group] === null ? [] : [`  - { svcId: ${group}@example.com, members: [${says[group].join(', ')}] }\n`],
    )
    const only = `, only: [${scope.map((group) => `"group/${group}*"`).join(', ')}]`
    const of = (name: Name, more: string) =>
      `  ${name}: { baseUrl: "${emulators[name].url}", labels: { ring: ${name} }${more} }\n`
    writeFileSync(
      join(this.dir, 'manifests/main.yaml'),
      items.length === 0 ? 'groups: []\n' : `groups:\n${items.join('')}`,
    )
    writeFileSync(
      join(this.dir, 'svcsync.yaml'),
      `version: 1
manifests: [manifests]
ledger: { remote: origin }
settings: { retry: { attempts: 1 } }
guards: { removals: { max: 100, percent: 100 } }
waves: [{ labels: { ring: test } }, { labels: { ring: part } }]
targets:
${of('prod', ', guards: { promotedFrom: test }')}${of('part', only)}${of('test', '')}`,
    )
  }

  byHand({ target: name, group, account }: Extract<Event, { does: 'hand' }>): void {
    const verb = membersOf(name)[group].includes(account) ? 'removeMembers' : 'addMembers'
    emulators[name].edit({ [verb]: { group: `${group}@example.com`, members: [account] } } as never)
  }

  /** What is live once the commit is applied to the target. */
  private wanted(name: Name, before: Members): Members {
    const own = scopeIn(name, this.now)
    const of = (group: Group): readonly string[] => {
      if (!own.includes(group)) return before[group]
      const listed = this.now.says[group]
      if (listed !== null) return [...listed].sort()
      const given = this.given[name].filter((each) => scopeIn(name, each).includes(group))
      const gone = new Set(given.flatMap(({ says }) => says[group] ?? []))
      return before[group].filter((each) => !gone.has(each))
    }
    return { fin: of('fin'), hr: of('hr') }
  }

  private get isPromoted(): boolean {
    return this.applied.test === this.commits
  }

  /** The guard `emptied-group` refuses to take the last one where no list says that nobody is in it. */
  private empties(name: Name, before: Members): boolean {
    const after = this.wanted(name, before)
    return groups.some(
      (group) => this.now.says[group] === null && before[group].length > 0 && after[group].length === 0,
    )
  }

  /** `code`: how it ended. */
  private check(name: Name, code: number | null, before: Members): void {
    if ((name === 'prod' && !this.isPromoted) || this.empties(name, before)) {
      expect([name, code, membersOf(name)]).toEqual([name, 4, before])
      return
    }
    if (code === 3) {
      this.given[name] = [...this.given[name], this.now]
      const own = scopeIn(name, this.now)
      for (const group of groups.filter((each) => !own.includes(each)))
        expect(membersOf(name)[group]).toEqual(before[group])
      return
    }
    expect([name, code, membersOf(name)]).toEqual([name, 0, this.wanted(name, before)])
    this.given[name] = [this.now]
    this.applied[name] = this.commits
  }

  async apply({ target: name, fails }: Extract<Event, { does: 'apply' }>): Promise<void> {
    const before = membersOf(name)
    if (fails)
      emulators[name].addFault({
        match: { path: '*/members/*' },
        nth: 1,
        effect: { kind: 'status', status: 400 },
      } as never)
    const { code } = await runCommand(['apply', '-t', name, '--yes', '--quiet'], this.dir, env)
    emulators[name].clearFaults()
    this.check(name, code, before)
    if (code !== 0) return
    const again = await runCommand(['plan', '-t', name, '--detailed-exitcode', '--quiet'], this.dir, env)
    expect([name, again.code]).toEqual([name, 0])
  }

  /** In waves, so that production comes when the target before it has the commit. */
  async rollout(): Promise<void> {
    const before = Object.fromEntries(names.map((name) => [name, membersOf(name)])) as Record<Name, Members>
    const { code, stdout } = await runCommand(['apply', '--all-targets', '--yes', '--format', 'json'], this.dir, env)
    const { targets } = JSON.parse(stdout) as { targets: { name: Name; exitCode: number | null }[] }
    const codes = new Map(targets.map(({ name, exitCode }) => [name, exitCode]))
    // A wave in which one failed is the last one.
    let hasFailed = false
    for (const name of names) {
      const own = codes.get(name) ?? null
      if (hasFailed) expect([name, own, membersOf(name)]).toEqual([name, null, before[name]])
      else this.check(name, own, before[name])
      hasFailed ||= own !== 0
    }
    expect(code).toBe(hasFailed ? 4 : 0)
  }
}

it('each target has its commit within its scope, and production none before the target before it', async () => {
  await tryLaw(
    fc.asyncProperty(life, async (events) => {
      const world = new World()
      try {
        for (const event of events) {
          if (event.does === 'commit') world.commit({ says: event.says, scope: event.scope })
          else if (event.does === 'apply') await world.apply(event)
          else if (event.does === 'rollout') await world.rollout()
          else world.byHand(event)
        }
      } finally {
        world.close()
      }
    }),
    0.25,
  )
})
