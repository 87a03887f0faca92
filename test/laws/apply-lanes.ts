// Tries the law of applying in several lanes side by side, each on a platform of its own: what one waits for, another
// uses.
import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { isThorough } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { applyCases } from './apply-cases.ts'
import { expectApplyLaw } from './apply-law.ts'
import { tryLaw } from './law-runs.ts'
import { secrets } from './world.ts'

const lanes = [0, 1, 2, 3]

/** Each lane prints seed and path of its own when it fails. */
export function holdApplyLaw(
  name: string,
  faults: fc.Arbitrary<readonly Fault[]>,
  share: number,
  casesOf: typeof applyCases = applyCases,
): void {
  const workspaces: Workspace[] = []
  beforeAll(async () => {
    for (const _ of lanes) workspaces.push(await openWorkspace({ env: secrets }))
  })
  afterAll(async () => {
    for (const workspace of workspaces) await workspace.close()
  })
  it.concurrent.each(lanes)(`${name} (%i)`, async (lane) => {
    const property = fc.asyncProperty(casesOf(faults), (given) => expectApplyLaw(workspaces[lane] as Workspace, given))
    // The laws that take the most time, and have the most cases: three quarters are enough for every run.
    await tryLaw(property, (share / lanes.length) * (isThorough ? 1 : 0.75))
  })
}
