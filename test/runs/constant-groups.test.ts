// Constants in groups that a manifest names: ids differ between installations, and the interface lists no groups.
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthorError } from '../../src/errors/index.ts'
import { adopt, useExported } from '../harness/adopt.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

let workspace: Workspace
const groups = [
  { id: 4, name: 'Addresses' },
  { id: 7, name: 'Limits' },
  { id: 8, name: 'Limits' },
]
const inGroups = (...constants: object[]) => ({
  databases: [{ id: 1, constantGroups: groups, constants, applications: [{ name: 'A', processes: [{ name: 'P' }] }] }],
})
const open = async (tenant: object) => {
  workspace = await openWorkspace({ tenant: tenant as never })
}
const constants = (...items: string[]) =>
  workspace.manifest(`database: main\nconstants:\n${items.map((item) => `  - { ${item} }\n`).join('')}`)
const problemsOf = (run: Promise<unknown>) =>
  run.then(
    () => [],
    (error: AuthorError) => error.problems,
  )
const reads = () => workspace.emulator.requests().filter(({ method }) => method === 'GET').length
afterEach(() => workspace.close())

const url = { name: 'Url', common: 'u', groupId: 4 }
const max = { name: 'Max', common: '1', groupId: 7 }
const min = { name: 'Min', common: '0', groupId: 8 }
const other = { name: 'Other', common: 'o' }

describe('a group by its name', () => {
  it('is compared by its name, and asks for nothing more', async () => {
    await open(inGroups(url, max))
    constants('name: Url, groupId: 4')
    await workspace.plan()
    const before = reads()
    constants('name: Url, groupName: Addresses')
    expect(await workspace.changes()).toEqual([])
    expect(reads() - before).toBe(before)
  })

  it.each(['name: Other', 'name: New, common: n'])('is found through a constant that is in it (%s)', async (item) => {
    await open(inGroups(url, other))
    constants(`${item}, groupName: Addresses`)
    const { planned, report } = await workspace.run()
    expect(planned.document.changes[0]?.differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'groupId', after: 4 }),
        expect.objectContaining({ path: 'groupName', after: 'Addresses' }),
      ]),
    )
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    const [sent] = writesOf(workspace.emulator)
    expect(sent?.body).toMatchObject({ groupId: 4 })
    expect(sent?.body).not.toHaveProperty('groupName')
    expect(await workspace.changes()).toEqual([])
  })

  it('is no change of the manifests for an apply that goes on after it put the constant there', async () => {
    await open(inGroups(url))
    constants('name: New, common: n, groupName: Addresses', 'name: Zero, common: z')
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 2, sent: false })
    expect((await resume(workspace, 'a.jsonl')).report).toMatchObject({ outcome: 'converged' })
  })

  it('is left by `groupId: null`', async () => {
    await open(inGroups(url, other))
    constants('name: Url, groupId: null')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  })

  it('is found for the constants of a process among those of the process', async () => {
    const tenant = inGroups(url)
    const process = { name: 'P', constants: [{ ...max, groupId: 4 }, other] }
    await open({ databases: [{ ...tenant.databases[0], applications: [{ name: 'A', processes: [process] }] }] })
    workspace.manifest(
      'database: main\nprocesses: [{ process: P, constants: [{ name: Other, groupName: Addresses }] }]',
    )
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  })
})

describe('a name of a group', () => {
  it('of several with one name leads nowhere: nothing is written', async () => {
    await open(inGroups(url, max, min, other))
    constants('name: Other, common: x, groupName: Limits', 'name: Url, common: y')
    const problems = await problemsOf(workspace.apply())
    expect(problems).toMatchObject([
      {
        ...{ code: 'SVC1402', place: { line: 3 }, address: 'constant/main/Other' },
        message: 'Several groups of global constants are called `Limits`',
        hint: 'Write `groupId` instead: 7, 8.',
      },
    ])
    expect(writesOf(workspace.emulator)).toEqual([])
  })

  it.each([
    ['Adresses', 'Did you mean `Addresses`?'],
    ['Mail', 'There are `Addresses`, `Limits`. Put one constant into the group on the platform, or write `groupId`.'],
  ])('that nobody is in (%s) is a warning: the constants are written without it', async (name, hint) => {
    await open(inGroups(url, max, other))
    constants(
      `name: New, common: n, groupName: ${name}`,
      `name: Newer, common: n, groupName: ${name}`,
      `name: Url, common: y, groupName: ${name}`,
    )
    const { planned, report } = await workspace.run()
    const warnings = planned.document.warnings.filter(({ code }) => code === 'SVC1406')
    expect(warnings.map(({ message }) => message)).toEqual([
      `\`New\` (and 1 more): svcsync found no group \`${name}\` of global constants, and creates them without a group`,
      `\`Url\`: svcsync found no group \`${name}\` of global constants, and leaves it where it is`,
    ])
    expect(warnings[0]?.hint).toContain(hint)
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
    expect(report.byHand?.map(({ address }) => address)).toEqual(['constant/main/New', 'constant/main/Url'])
    for (const { body } of writesOf(workspace.emulator)) {
      expect(body).not.toHaveProperty('groupId')
      expect(body).not.toHaveProperty('groupName')
    }
    const live = workspace.emulator.state().databases?.[0]?.constants ?? []
    expect(live.find((each) => each.name === 'Url')).toMatchObject({ groupId: 4, common: 'y' })
    const again = await workspace.plan()
    expect(again.document.changes).toEqual([])
    expect(again.document.warnings.filter(({ code }) => code === 'SVC1406')).toHaveLength(1)
  })

  it('is taken as soon as it is there', async () => {
    await open(inGroups(other))
    constants('name: New, common: n, groupName: Addresses')
    await workspace.apply()
    const [database] = workspace.emulator.state().databases ?? []
    const there = (database?.constants ?? []).map((each) => (each.name === 'Other' ? { ...each, groupId: 4 } : each))
    workspace.emulator.load({ databases: [{ ...database, constants: there }] } as never)
    expect(await workspace.changes()).toEqual(['update constant/main/New'])
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect((await workspace.plan()).document.warnings).toEqual([])
  })

  it('says of how many constants nobody knows where they are', async () => {
    await open(inGroups(url, other))
    const effect = { kind: 'status', status: 403, body: { type: 'InsufficientAccountPermissions' } } as const
    workspace.emulator.addFault({ match: { path: '/db/1/admin/constants/*' }, nth: 2, effect })
    constants('name: Other, groupName: Addresses')
    const { document } = await workspace.plan()
    expect(document.warnings[0]?.message).toContain('in what it could read (1 could not be)')
  })

  it('is said in one of two ways', async () => {
    await open(inGroups(url))
    constants('name: Url, groupName: Addresses, groupId: 4')
    await expect(workspace.plan()).rejects.toMatchObject({ problems: [{ code: 'SVC1305' }] })
  })
})

describe('export', () => {
  it('writes the name, and the id where the name does not lead to it', async () => {
    await open(inGroups(url, max, min, other))
    const { texts, changes } = await adopt(workspace)
    const told = Object.values(texts)
      .join('')
      .match(/group\w+: .*/g)
    expect(told).toEqual(['groupId: 7', 'groupId: 8', 'groupName: Addresses'])
    expect(changes).toEqual([])
  })

  it('serves an installation where the group has another id', async () => {
    await open(inGroups(url, other))
    useExported(workspace, await workspace.export())
    const [database] = inGroups({ ...max, groupId: 12 }).databases
    const constantGroups = [{ id: 12, name: 'Addresses' }]
    workspace.emulator.load({ databases: [{ ...database, constantGroups }] } as never)
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
    const live = workspace.emulator.state().databases?.[0]?.constants ?? []
    expect(live.find(({ name }) => name === 'Url')).toMatchObject({ groupId: 12 })
  })
})
