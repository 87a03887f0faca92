// The law of accepting: of what somebody changes by hand, each difference is either written into the manifests, and
// gone from the next plan, or refused with a reason; nothing else changes there.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { defaultBehaviour } from '../../src/emulator/behaviour.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { acceptable, editAccepted, findRemaining } from '../../src/runs/edit/accept-run.ts'
import { openForEdit } from '../../src/runs/edit/open-for-edit.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { handEdits } from './hand-edits.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, settings: 'guards: { removals: { max: 1000, percent: 100 } }' })
  workspace.baseManifest('')
})
afterAll(() => workspace.close())

/** Hand edits take no object away: nothing is read again. */
const nobody = undefined as unknown as PlatformPort

async function accept(run: { readonly base: 'folder' | undefined }) {
  const project = openForEdit({
    ...{ project: join(workspace.dir, 'svcsync.yaml'), cwd: workspace.dir, env: workspace.env, kinds },
    ...{ needCredentials: false, nowMs: Date.parse('2026-01-01T00:00:00Z') },
  })
  const planned = await workspace.plan(run)
  const found = editAccepted(project, await acceptable(planned, project, nobody, []))
  for (const { path, after } of found.edited?.files ?? []) writeFileSync(path, after)
  return found
}

it('writes down what was changed by hand, and the next plan has none of it', async () => {
  const found = { taken: 0, refused: new Map<string, number>() }
  const hands = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
  await tryLaw(
    fc.asyncProperty(situations, hands, fc.boolean(), async ({ live, items }, hands, hasBase) => {
      const run = { base: hasBase ? ('folder' as const) : undefined }
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour(defaultBehaviour)
      writeManifests(workspace, [items])
      writeManifests(workspace, [items], 'base/manifests')
      await workspace.apply()
      const state = workspace.emulator.state() as Tenant
      for (const hand of hands) {
        const edits = handEdits(state, items)
        edits[hand % edits.length]?.make()
      }
      workspace.emulator.load(state)
      const { taken, refused, pending } = await accept(run)
      expect(pending).toBe(0)
      const after = await workspace.plan(run)
      expect(findRemaining(after, taken)).toEqual([])
      const left = after.document.changes.map(({ address }) => address)
      expect(left.filter((address) => !refused.some((each) => each.address === address))).toEqual([])
      found.taken += taken.length
      for (const { why } of refused) found.refused.set(why, (found.refused.get(why) ?? 0) + 1)
    }),
    1.5,
  )
  expect(found.taken).toBeGreaterThan(3)
  expect([...found.refused.keys()].filter((why) => !/reference|tell|moved both|name, or/.test(why))).toEqual([])
})
