// Guards and policies of a saved plan: those of the project that applies are asked again, about what is read again.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Verdict } from '../../src/core/guards/guard.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { planFileText } from '../../src/runs/saved/plan-file.ts'
import {
  applySaved,
  forgedText,
  parsed,
  savedText,
  type TakeUpOptions,
  verdictsOfSaved,
} from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const users = ['a', 'b', 'c'].map((name) => ({ svcId: `${name}@example.com`, name }))
const members = users.map(({ svcId }) => svcId)
const tenant = {
  users,
  groups: [
    { svcId: 'g@example.com', name: 'G', members },
    { svcId: 'inner@example.com', name: 'Inner', members: [members[0]] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              privileges: [
                { svcId: 'b@example.com', level: 'Administrator' },
                { svcId: 'inner@example.com', level: 'Administrator' },
              ],
            },
          ],
        },
      ],
    },
  ],
}
const oneLeaves = `groups: [{ svcId: g@example.com, members: [a@example.com, b@example.com] }]\n`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(async () => {
  settings('')
  rmSync(join(workspace.dir, 'policies'), { recursive: true, force: true })
  workspace.emulator.load(tenant as never)
  workspace.manifest(oneLeaves)
  await workspace.control('DELETE', '/requests')
})

/** The project file, with these lines more. */
let plain: string | undefined
function settings(more: string): void {
  plain ??= `version: 1
manifests: [manifests]
target: test
targets:
  test:
    baseUrl: ${workspace.emulator.url}
    clientId: "\${env:SVCSYNC_CLIENT_ID}"
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
`
  workspace.write('svcsync.yaml', plain + more)
}

async function refusal(text: string, options: TakeUpOptions = {}): Promise<readonly string[]> {
  const error: unknown = await applySaved(workspace, text, { ...options, guarded: true }).catch((reason) => reason)
  expect(error).toBeInstanceOf(RefusedError)
  expect((error as RefusedError).code).toBe('SVC2070')
  expect(writesOf(workspace.emulator)).toEqual([])
  return (error as RefusedError).reasons ?? []
}

it('are those of the project that applies: a limit that was lowered since refuses', async () => {
  const text = await savedText(workspace)
  settings('guards: { removals: { max: 0 } }\n')
  expect(await refusal(text)).toEqual([
    'removals: 1 of 3 members and owners of groups that were read would be removed (34 %). The limits of one ' +
      'run are 0 of a kind, and 30 % of a kind and of each list from 5 on. The saved plan does not contain this.',
  ])
  expect(await applySaved(workspace, text, { guarded: true, allow: ['removals=1'] })).toMatchObject({
    outcome: 'converged',
  })
})

it('are not taken from the file: what it says to hold is looked at again', async () => {
  settings('protect: ["group/g@*"]\n')
  workspace.manifest('groups: [{ svcId: g@example.com, absent: true }]\n')
  const text = await savedText(workspace)
  expect(parsed(text).guards.find(({ guard }) => guard === 'protected')).toMatchObject({ verdict: 'refused' })
  const verdictAs = (verdict: Verdict['verdict']) =>
    forgedText(text, ({ guards }) => ({ guards: guards.map((each) => ({ ...each, verdict })) }))
  const allowed = await refusal(verdictAs('allowed'))
  expect(allowed).toEqual(
    expect.arrayContaining([expect.stringMatching(/^protected: .*`protect` lists `group\/g@\*`\.$/)]),
  )
  expect(await refusal(verdictAs('passed'))).toEqual([
    'protected: `group/g@example.com` would be deleted, but `protect` lists `group/g@*`. ' +
      'The saved plan does not contain this.',
  ])
})

it('let pass what the command that applies allows, and not what was allowed to the plan', async () => {
  settings('guards: { removals: { max: 0 } }\n')
  const text = await savedText(workspace, { allow: ['removals=50'] })
  expect(parsed(text).guards[1]).toMatchObject({ guard: 'removals', verdict: 'allowed', allow: 'removals=1' })
  expect(await refusal(text)).toHaveLength(1)
  expect(await applySaved(workspace, text, { guarded: true, allow: ['removals=1'] })).toMatchObject({
    outcome: 'converged',
  })
})

it('include the policies about what is declared', async () => {
  const text = await savedText(workspace)
  workspace.write(
    'policies/few.yaml',
    'policies: [{ name: few, for: [group], on: desired, expression: "size(object.members) < 2", message: too many }]\n',
  )
  const error: unknown = await applySaved(workspace, text, { guarded: true }).catch((reason) => reason)
  expect(error).toMatchObject({ code: 'SVC2128', actor: 'operator' })
  expect((error as RefusedError).reasons).toEqual([
    'group/g@example.com: too many (policy `few`) at manifests/main.yaml:1:10',
  ])
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('keep refusing what the file refuses, though the project has become milder', async () => {
  settings('guards: { removals: { max: 0 } }\n')
  const text = await savedText(workspace)
  settings('')
  expect(await refusal(text)).toHaveLength(1)
  expect(await applySaved(workspace, text, { guarded: true, allow: ['removals=1'] })).toMatchObject({
    outcome: 'converged',
  })
})

it('take the share of removals of all lists that the plan read, and not of those alone that it changes', async () => {
  const accounts = (count: number) => Array.from({ length: count }, (_, index) => `m${index}@example.com`)
  const group = (svcId: string, count: number) => ({ svcId, name: svcId, members: accounts(count) })
  const groups = [group('one@example.com', 10), group('two@example.com', 10), group('all@example.com', 40)]
  workspace.emulator.load({ users: accounts(40).map((svcId) => ({ svcId, name: svcId })), groups } as never)
  const lists = groups.map(({ svcId, members }) => ({
    svcId,
    members: members.length > 10 ? members : members.slice(4),
  }))
  workspace.manifest(JSON.stringify({ groups: lists }))
  const text = await savedText(workspace)
  // Eight of sixty are 14 %, eight of the twenty that are read again 40 %.
  expect(parsed(text)).toMatchObject({ counts: { removed: 8 }, saved: { listed: { group: 60 } } })
  expect((await verdictsOfSaved(workspace, text)).filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  const fewer = forgedText(text, ({ saved }) => ({ saved: { ...saved, listed: { group: 20 } } }))
  expect((await verdictsOfSaved(workspace, fewer)).filter(({ verdict }) => verdict !== 'passed')).toMatchObject([
    { guard: 'removals', numbers: { count: 8, total: 20 }, allow: 'removals=8' },
  ])
  // The digest covers the number: nobody makes it larger unseen.
  const { checksum: _, ...plan } = parsed(text)
  const larger = planFileText({ ...plan, saved: { ...plan.saved, listed: { group: 6000 } } })
  expect(() => parsed(larger)).toThrow(expect.objectContaining({ code: 'SVC2103' }))
})

it('know who stands behind a group that the plan does not touch', async () => {
  workspace.manifest(
    `database: main
groups: [{ svcId: inner@example.com, members: [a@example.com] }]
processes: [{ process: P, privileges: { Administrator: [inner@example.com] } }]
`,
  )
  const text = await savedText(workspace)
  expect((await verdictsOfSaved(workspace, text)).filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  // Meanwhile somebody empties the group, which is no step of the plan: nobody could give access any more.
  await workspace.control('POST', '/edits', {
    removeMembers: { group: 'inner@example.com', members: members.slice(0, 1) },
  })
  expect(await refusal(text)).toEqual([
    expect.stringMatching(/^last-administrator: `process\/main\/A\/P` would have no Administrator left;/),
  ])
})

it('take the policies of the project along, on the day of the apply', async () => {
  const freeze = `policies:
  - { name: freeze, for: [group], on: change, expression: today < "2026-01-02", message: nothing changes now }
`
  const text = await savedText(workspace)
  workspace.write('policies/freeze.yaml', freeze)
  const tomorrow = Date.parse('2026-01-02T00:00:00Z') - 60_000 * 30
  expect((await verdictsOfSaved(workspace, text)).at(-1)).toMatchObject({ guard: 'policy/freeze', verdict: 'passed' })
  settings('settings: { timeZone: Europe/Warsaw }\n')
  expect(await refusal(text, { nowMs: tomorrow })).toEqual([
    'policy/freeze: `group/g@example.com`: nothing changes now. The saved plan does not contain this.',
  ])
  const allow = ['policy/freeze=group/g@example.com']
  expect(await applySaved(workspace, text, { nowMs: tomorrow, guarded: true, allow })).toMatchObject({
    outcome: 'converged',
  })
})

it('are not asked where a policy of the project is wrong', async () => {
  const text = await savedText(workspace)
  workspace.write(
    'policies/wrong.yaml',
    'policies: [{ name: it, for: [group], on: change, expression: "x ==", message: no }]\n',
  )
  await expect(applySaved(workspace, text)).rejects.toMatchObject({ problems: [{ code: 'SVC1803' }] })
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('asks who becomes Administrator by what the plan says, and refuses one that does not say it', async () => {
  const gained = async (text: string, allow: string[] = []) =>
    (await verdictsOfSaved(workspace, text, { allow }))
      .filter(({ guard }) => guard === 'administrator-gained')
      .map(({ verdict, allow }) => [verdict, allow])
  workspace.manifest('groups: [{ svcId: inner@example.com, members: [a@example.com, c@example.com] }]\n')
  settings('access: none\n')
  const silent = await savedText(workspace)
  // If the group or its holdings are not declared, nobody gains anything that the plan has seen.
  workspace.manifest(`database: main
groups: [{ svcId: inner@example.com, members: [a@example.com, c@example.com] }]
processes: [{ process: P, application: A, privileges: { Administrator: [b@example.com, inner@example.com] } }]
`)
  settings('')
  const text = await savedText(workspace)
  expect(await gained(text)).toEqual([])
  settings('guards: { administratorGained: refuse }\n')
  expect(await gained(text)).toEqual([['refused', 'administrator-gained=c@example.com']])
  expect(await gained(text, ['administrator-gained=c@example.com'])).toEqual([
    ['allowed', 'administrator-gained=c@example.com'],
  ])
  expect(await gained(silent)).toEqual([['refused', 'administrator-gained=unknown']])
})
