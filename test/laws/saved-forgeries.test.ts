// The law of forged plans: whoever names the digest that was reviewed needs to trust nothing else in the file.
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { parsePlanFile, planFileText } from '../../src/runs/saved/plan-file.ts'
import { edited, editedValues, type JsonPath, pathsIn } from '../harness/edit-json.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writeLines, writesOf } from '../harness/write-log.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

/**
 * When, by whom and where it was made, what was allowed, and what no manifest declares: the digest does not speak of
 * it, and the page says so.
 */
function isLeftOut(path: JsonPath): boolean {
  const [first, second, third] = path
  const isPlace = path.some((key) => key === 'place' || key === 'listedAt' || key === 'related')
  const isTime = ['createdAt', 'expiresAt', 'application', 'checksum', 'unlistedLevels'].includes(String(first))
  return isPlace || isTime || first === 'tool' || (first === 'guards' && second !== undefined && third === 'verdict')
}

it('shows nothing else than what its digest was made of, and carries out nothing else', async () => {
  const seen = { shown: 0, refused: 0, same: 0 }
  await tryLaw(
    fc.asyncProperty(situations, fc.nat(), editedValues, async ({ live, items }, at, value) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const text = await savedText(workspace)
      const { checksum: _, ...plan } = JSON.parse(text) as SavedPlan
      const paths = pathsIn(plan as unknown as Json).filter((path) => path.length > 0 && !isLeftOut(path))
      const path = paths[at % paths.length] as JsonPath
      const forged = edited(plan as unknown as Json, path, value) as unknown as SavedPlan
      fc.pre(JSON.stringify(forged) !== JSON.stringify(plan) && forged.digest === plan.digest)
      const file = planFileText(forged)
      const isAboutWhatIsShown = path[0] !== 'saved' && path[0] !== 'formatVersion'
      if (isAboutWhatIsShown) {
        expect(() => parsePlanFile(Buffer.from(file), 'plan.json'), path.join('.')).toThrow(SvcsyncError)
        seen.shown++
        return
      }
      await workspace.control('DELETE', '/requests')
      const result: unknown = await applySaved(workspace, file).catch((error: unknown) => error)
      const writes = writeLines(writesOf(workspace.emulator)).sort()
      if (result instanceof Error) {
        expect(result, `${path.join('.')}: ${result.stack}`).toBeInstanceOf(SvcsyncError)
        expect(writes).toEqual([])
        seen.refused++
        return
      }
      workspace.emulator.load(tenantOf(live))
      await workspace.control('DELETE', '/requests')
      await applySaved(workspace, text)
      expect(writes, path.join('.')).toEqual(writeLines(writesOf(workspace.emulator)).sort())
      seen.same++
    }),
    2,
  )
  expect(Math.min(seen.shown, seen.refused)).toBeGreaterThan(0)
})
