// `--since` of the built command: what the plan says of its base, keeps of it, and says where nobody asked for one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openRepository } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const group = (name: string) => `groups:\n  - { svcId: staff@example.com, name: ${name} }\n`

let workspace: Workspace
let commit = ''
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: { groups: [{ svcId: 'staff@example.com', name: 'Live' }] } })
  workspace.manifest(group('Staff'))
  workspace.write('.gitignore', 'p.json\n')
  const repo = openRepository(workspace.dir)
  commit = repo.commit('First')
  repo.git('tag', 'before')
})
afterAll(() => workspace.close())

const run = (...args: readonly string[]) => runCommand(args, workspace.dir, workspace.env)
const json = async (...args: readonly string[]) => JSON.parse((await run(...args, '--format', 'json')).stdout)

it('is told with the plan, in every form, and by drift', async () => {
  expect((await run('plan', '--since', 'before')).stdout).toContain(`since before (${commit.slice(0, 7)})`)
  expect((await run('plan', '--since', commit, '--format', 'markdown')).stdout).toContain(
    `· since \`${commit.slice(0, 7)}\``,
  )
  const base = { ref: 'before', commit, from: 'since' }
  expect((await json('plan', '--since', 'before')).base).toEqual(base)
  expect((await json('drift', '--since', 'before')).base).toEqual(base)
  expect((await json('plan')).base).toBeNull()
})

it('is kept in a saved plan, and shown with it; the digest covers what it changes, and not it', async () => {
  expect(await run('plan', '--since', 'before', '--out', 'p.json')).toMatchObject({ code: 0 })
  expect((await run('show', 'p.json')).stdout).toContain('since before')
  const shown = await json('show', 'p.json')
  expect(shown.base).toEqual({ ref: 'before', commit, from: 'since' })
  expect((await json('plan', '--since', 'HEAD')).digest).toBe(shown.digest)
  expect(await run('apply', 'p.json', '--since', 'before')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SVC2109'),
  })
})

it('is in the command that applies this plan', async () => {
  expect((await run('plan', '--since', 'before')).stdout).toContain('--since before')
})

it('is offered once where there is git, and nobody has asked for it', async () => {
  const hint = 'no base: deleted lines go unnoticed'
  const says = async (...args: readonly string[]) =>
    (await run(...args)).stdout.replace(/\s+/g, ' ').split(hint).length - 1
  expect(await says('plan')).toBe(1)
  for (const args of [
    ['--quiet'],
    ['--since', 'HEAD'],
    ['--no-ledger'],
    ['--format', 'json'],
    ['--format', 'markdown'],
  ]) {
    expect(await says('plan', ...args), args.join(' ')).toBe(0)
  }
  expect(await says('drift')).toBe(0)
})

it('cannot be what contradicts itself', async () => {
  workspace.write('manifests/again.yaml', group('Other'))
  workspace.write('manifests/sets.yaml', 'memberships:\n  - { group: staff@example.com, members: [{ set: nobody }] }\n')
  openRepository(workspace.dir).commit('Twice')
  workspace.write('manifests/again.yaml', '')
  workspace.write('manifests/sets.yaml', '')
  const { code, stderr } = await run('plan', '--since', 'HEAD')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('does not validate with this svcsync') })
  expect(stderr).toMatch(
    /SVC1301 {2}[0-9a-f]{7} manifests\/main.yaml:2:\d+|SVC1301 {2}[0-9a-f]{7} manifests\/again.yaml/,
  )
  expect(stderr).toMatch(/SVC13\d\d {2}[0-9a-f]{7} manifests\/sets.yaml:2/)
})

it('speaks of what is wrong today first', async () => {
  workspace.manifest('groups: [{}]\n')
  const { stderr } = await run('plan', '--since', 'nothing-of-that-name')
  expect(stderr).toContain('SVC1103')
  expect(stderr).not.toContain('SVC2201')
  workspace.manifest(group('Staff'))
})
