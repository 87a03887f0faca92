// Laws of digests: equal content has one digest, whenever and wherever it is planned; other content has another.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

it('gives one digest whatever the order of items and of files, and the patch version of the tool', async () => {
  await tryLaw(
    fc.asyncProperty(situations, fc.integer(), async ({ live, items }, seed) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const { document } = await workspace.plan({ version: '3.1.4' })
      const shuffled = fc.sample(fc.shuffledSubarray(items, { minLength: items.length }), { seed, numRuns: 1 })
      writeManifests(workspace, [[], ...(shuffled[0] ?? []).map((item) => [item])])
      const again = (await workspace.plan({ version: '3.1.5', createdAt: '2027-01-01T00:00:00.000Z' })).document
      expect(again.digest).toBe(document.digest)
      expect(again.manifestsDigest).toBe(document.manifestsDigest)
      expect((await workspace.plan({ version: '3.2.0' })).document.digest).not.toBe(document.digest)
    }),
    0.5,
  )
})

const users = (more: string): string =>
  `users:\n  - { svcId: a@example.com, name: A, jobTitle: "\${env:TITLE}"${more} }\n`

it('gives another digest where what is desired, what is live, or the selection is another', async () => {
  const digests = new Set<string>()
  const add = async (only: readonly string[] = []): Promise<void> => {
    digests.add((await workspace.plan({ only })).document.digest)
  }
  workspace.emulator.load({ users: [] } as never)
  writeManifests(workspace, [])
  workspace.manifest(users(''))
  await add()
  await add(['user/*'])
  workspace.manifest(users(', email: a@example.com'))
  await add()
  for (const email of ['b@example.com', 'c@example.com']) {
    workspace.emulator.load({ users: [{ svcId: 'a@example.com', name: 'A', email }] } as never)
    await add()
  }
  expect(digests.size).toBe(5)
})

it('says of a live value behind a secret whether it is equal, and nothing that could be guessed from', async () => {
  const digestWith = async (jobTitle: string): Promise<string> => {
    workspace.emulator.load({ users: [{ svcId: 'a@example.com', name: 'B', jobTitle }] } as never)
    return (await workspace.plan()).document.steps[0]?.liveDigest ?? ''
  }
  writeManifests(workspace, [])
  workspace.manifest(users(''))
  const guesses = [await digestWith('1234'), await digestWith('4321')]
  expect(guesses[1]).toBe(guesses[0])
  expect(await digestWith(secrets.TITLE)).not.toBe(guesses[0])
})
