// The law of guards of saved plans: asked again, of what a saved plan reads, they say what they said of the whole.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Verdict } from '../../src/core/guards/guard.ts'
import { forgedText, parsed, savedText, verdictsOfSaved } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { accountIds, secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  const guards =
    'guards: { deletions: { max: 0 }, removals: { max: 2, percent: 1 } }\nprotect: ["group/g*", "process/**"]'
  workspace = await openWorkspace({ env: secrets, settings: `${guards}\nprune: { users: ["u*"], groups: ["g*"] }` })
  workspace.write(
    'policies/changes.yaml',
    `policies:
  - { name: nobody-leaves, for: [group, process, application], on: change, expression: "size(removed) == 0", message: somebody leaves }
  - { name: known, for: [group], on: change, message: somebody is unknown,
      expression: '!has(after.members) || after.members.all(m, m.account != "undeclared")' }
`,
  )
})
afterAll(() => workspace.close())

/** Without what it says of a whole that is not read again. */
const judged = ({ guard, verdict, allow, addresses }: Verdict) => ({ guard, verdict, allow, addresses })

it('judges a saved plan as it was judged when made, and from what it reads, whatever its file says', async () => {
  let refusedOnce = 0
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      // As the first directory account, which is in many lists: what svcsync takes from itself is looked at, too.
      const [svcId] = accountIds
      const svcsync = { name: 'svcsync', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes: 'all', svcId }
      const { accounts, ...tenant } = tenantOf(live)
      const others = accounts?.filter((account) => account.svcId !== svcId)
      workspace.emulator.load({ ...tenant, accounts: others, apiApplications: [svcsync] } as never)
      writeManifests(workspace, [items])
      const text = await savedText(workspace)
      const saved = parsed(text)
      expect((await verdictsOfSaved(workspace, text)).map(judged)).toEqual(saved.guards.map(judged))
      // Somebody writes into the file that every guard holds: what is read again tells otherwise.
      const guards = saved.guards.map((verdict) => ({ ...verdict, verdict: 'passed' as const }))
      const found = await verdictsOfSaved(
        workspace,
        forgedText(text, () => ({ guards })),
      )
      const refused = saved.guards.filter(({ verdict, guard }) => verdict === 'refused' && guard !== 'disappeared')
      refusedOnce += refused.length
      expect(
        found.filter(({ verdict }) => verdict === 'refused').map(({ guard, allow }) => `${guard} ${allow}`),
      ).toEqual(refused.map(({ guard, allow }) => `${guard} ${allow}`))
    }),
  )
  expect(refusedOnce).toBeGreaterThan(0)
})
