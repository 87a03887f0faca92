// Every kind on every installation: the first apply, nothing to do, a change, a removal, and each time what was read
// back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultBehaviour } from '../../src/emulator/index.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { isWriteOf, untruths } from '../harness/report-truth.ts'
import { requestClock } from '../harness/request-clock.ts'
import { isThorough, sharedOut } from '../harness/thorough.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type LoggedWrite, writesOf } from '../harness/write-log.ts'
import { type Installation, impossible, installations, lives, matrixTenant } from './switch-matrix.ts'

const settings = 'settings: { retry: { maxDelay: 10ms }, concurrency: 4 }'
/** In each apply where tokens end early. */
const refusedTokens: number[] = []
const versions = ['6.0', '5.0'] as const
type Version = (typeof versions)[number]
const lanes = {} as Record<`${Version} ${'folded' | 'exact'}`, Lanes>
beforeAll(async () => {
  for (const version of versions) {
    const target = `    apiVersion: "${version}"`
    lanes[`${version} folded`] = await openLanes(2, () => ({ settings, clock: requestClock(), target }))
    const exact = `${target}\n    svcIdCase: exact`
    lanes[`${version} exact`] = await openLanes(1, () => ({ settings, clock: requestClock(), target: exact }))
  }
})
afterAll(async () => {
  for (const each of Object.values(lanes)) await each.close()
  // Some applies are too short to meet one.
  if (refusedTokens.length > 0) expect(Math.max(...refusedTokens)).toBeGreaterThan(0)
})

async function converge(
  workspace: Workspace,
  manifest: string,
  { losesAnswers, tokensEndEarly }: Installation,
): Promise<void> {
  const { emulator } = workspace
  emulator.clearFaults()
  for (const method of losesAnswers ? ['POST', 'PATCH', 'DELETE'] : []) {
    for (const nth of [1, 3])
      emulator.addFault({ match: { method, path: '*/admin/*' }, nth, effect: { kind: 'reset' } })
  }
  await workspace.control('DELETE', '/requests')
  workspace.manifest(`database: main\n${manifest}\n`)
  const { planned, report } = await workspace.run()
  // First, since it says why.
  expect(report.steps.filter(({ reason }) => reason !== undefined)).toEqual([])
  expect(report).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
  const writes = writesOf(emulator)
  expect(untruths(report, planned.plan.steps, writes)).toEqual([])
  // No write but those of the steps, some of which share one.
  const ofSteps = (write: LoggedWrite) => planned.plan.steps.some((step) => isWriteOf(write, step))
  expect(writes.every(ofSteps)).toBe(true)
  if (losesAnswers) expect(writes.some(({ status }) => status === null)).toBe(true)
  if (tokensEndEarly) refusedTokens.push(emulator.requests().filter(({ status }) => status === 401).length)
  emulator.clearFaults()
  await workspace.control('DELETE', '/requests')
  expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
  expect(writesOf(emulator)).toEqual([])
}

const switches = Object.entries(installations).map(([name, installation], nr) => ({ name, installation, nr }))
const kinds = Object.entries(lives).map(([kind, life], nr) => ({ kind, life, nr }))

describe.each(switches)('$name', ({ name, installation, nr }) => {
  const isTried = (kind: string) =>
    !impossible.has(`${name}, ${kind}`) && (isThorough || (installation.touches?.includes(kind) ?? true))
  // Each installation and each kind in both versions of the API; every pair in both where all is tried.
  const cases = kinds
    .filter(({ kind }) => isTried(kind))
    .flatMap((each) =>
      sharedOut(each.life.since ? [each.life.since] : versions, nr + each.nr, 2).map((version) => ({
        ...each,
        version,
      })),
    )
    // Many installations differ for many kinds: each meets a sixth of them, others another sixth.
    .filter((_, index, all) => isThorough || all.length < 6 || (index + nr) % 6 === 0)
  it.concurrent.each(cases)('$kind in $version', ({ life, version }) => {
    const { behaviour, syncDelayMs = 0, svcIdCase, spelled = (manifest: string) => manifest } = installation
    return lanes[`${version} ${svcIdCase ?? 'folded'}`].take(async (workspace) => {
      workspace.emulator.load({ ...matrixTenant, behaviour: { ...defaultBehaviour, ...behaviour } } as never)
      await workspace.control('PATCH', '/settings', { syncDelayMs })
      await converge(workspace, spelled(life.first), installation)
      await converge(workspace, spelled(life.update), installation)
      await converge(workspace, spelled(life.removal), installation)
    })
  })
})
