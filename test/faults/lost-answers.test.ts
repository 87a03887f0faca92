// An answer that is lost is settled by reading back: what was carried out is not repeated, what was not is, once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { withEnoughTime } from '../harness/any-speed.ts'
import { type Lanes, openLanes } from '../harness/lanes.ts'
import { untruths } from '../harness/report-truth.ts'
import { sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type WorkspaceOptions } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { beginAnew, faultTenant, writePaths } from './write-paths.ts'

// Names may occur twice on this installation, so that a create that is repeated in error leaves a trace.
const options: WorkspaceOptions = {
  behaviour: { duplicateNames: 'accepted' },
  env: { SECRET: 'a secret that nobody may see' },
  settings: 'settings: { retry: { maxDelay: 10ms } }',
}
let lanes: Lanes
beforeAll(async () => {
  lanes = await openLanes(3, options, beginAnew)
})
afterAll(() => lanes.close())

/** Every path meets two of each sort: those that were carried out, and those that were not. */
const effects: readonly (readonly [string, Fault['effect'], number, number])[] = [
  ['a reset after the effect', { kind: 'reset', carriedOut: true }, 0, 3],
  ['a reset before the effect', { kind: 'reset', carriedOut: false }, 0, 2],
  ['a 500 after the effect', { kind: 'status', status: 500, carriedOut: true }, 1, 3],
  ['a 502 before the effect', { kind: 'status', status: 502, carriedOut: false }, 1, 2],
  ['a 504 after the effect', { kind: 'status', status: 504, carriedOut: true }, 2, 3],
  ['a 504 before the effect', { kind: 'status', status: 504, carriedOut: false }, 0, 2],
  ['half an answer as if it were whole', { kind: 'truncate' }, 0, 3],
  ['an answer cut half-way', { kind: 'cut' }, 1, 3],
  ['a page of a gateway instead of the answer', { kind: 'text' }, 2, 3],
  ['a page of a gateway that let nothing through', { kind: 'text', status: 200, carriedOut: false }, 1, 2],
]

describe.concurrent.each(effects)('%s', (_name, effect, which, of) => {
  it.each(sharedOut(writePaths, which, of))('$name: is done once, and said so', ({ method, path, manifest }) =>
    lanes.take(async (workspace) => {
      workspace.manifest(manifest)
      workspace.emulator.addFault({ match: { method, path }, effect })
      const { planned, report } = await workspace.run()
      const writes = writesOf(workspace.emulator)
      expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 }, verified: { equal: 1, unequal: [] } })
      expect(untruths(report, planned.plan.steps, writes)).toEqual([])
      expect(writes.filter(({ carriedOut }) => carriedOut)).toHaveLength(1)
      expect(await workspace.changes()).toEqual([])
    }),
  )
})

// Side by side, each on a platform of its own: they wait, and a busy machine must not look like a platform that is
// silent.
describe.concurrent.each([
  [true, 0],
  [false, 1],
])('no answer in time, carried out: %s', (carriedOut, which) => {
  it.each(sharedOut(writePaths, which, 2))('$name: is done once, and said so', async ({ method, path, manifest }) => {
    await withEnoughTime(400, async (timeoutMs) => {
      const own = await openWorkspace({ ...options, tenant: faultTenant })
      try {
        own.manifest(manifest)
        own.emulator.addFault({ match: { method, path }, effect: { kind: 'hang', carriedOut } })
        const { planned, report } = await own.run({ timeoutMs })
        const writes = writesOf(own.emulator)
        expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
        expect(untruths(report, planned.plan.steps, writes)).toEqual([])
        expect(writes.filter((write) => write.carriedOut)).toHaveLength(1)
      } finally {
        await own.close()
      }
    })
  })
})

/** The first request after that: a list with pages takes three. */
const looksFirst = [
  [/^(create a (process )?constant|create a connection|remove owners)$/, 2],
  [/^create a substitution$/, 4],
] as const

describe.concurrent('an answer that is lost, and a reading back that fails', () => {
  it.each(writePaths)('$name: is unknown, and a second run converges', ({ name, method, path, manifest }) =>
    lanes.take(async (workspace) => {
      workspace.manifest(manifest)
      workspace.emulator.addFault({ match: { method, path }, effect: { kind: 'reset', carriedOut: true } })
      const stop = new AbortController()
      const { report } = await workspace.run({
        stop: stop.signal,
        onEvent: ({ type }) => {
          if (type === 'step-started')
            workspace.emulator.addFault({
              match: { method: 'GET' },
              // svcsync first looks for changes by others before it sends these.
              nth: looksFirst.find(([pattern]) => pattern.test(name))?.[1] ?? 1,
              count: null,
              effect: { kind: 'status', status: 403 },
            })
        },
      })
      expect(report).toMatchObject({ outcome: 'partial', counts: { unknown: 1 } })
      workspace.emulator.clearFaults()
      expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
      expect(writesOf(workspace.emulator).filter(({ carriedOut }) => carriedOut)).toHaveLength(1)
    }),
  )
})
