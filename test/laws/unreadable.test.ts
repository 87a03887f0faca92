// The law of what cannot be read: whichever objects that are, what is applied is what a plan of the whole does for
// those objects that neither are nor rest on them; nothing is done twice, and a later run that can read everything
// finishes the work.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { subjectKey } from '../../src/core/model/elements.ts'
import { skippedSteps } from '../../src/core/plan/rest-on-unread.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { repeated } from './apply-law.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { groupIds, secrets, tenantOf, userIds, writeManifests } from './world.ts'

const reads = [
  ...groupIds.map((svcId) => ({ path: '/admin/group', query: encodeURIComponent(svcId) })),
  ...userIds.map((svcId) => ({ path: '/admin/user', query: encodeURIComponent(svcId) })),
  { path: '/admin/users' },
  { path: '/db/1/admin/constants/*' },
  { path: '/db/1/admin/connections' },
  { path: '/db/1/applications/*/admin/privileges' },
  { path: '/db/1/processes/*/admin/privileges' },
]
const hidden: fc.Arbitrary<Fault[]> = fc.subarray(reads, { minLength: 1 }).map((chosen) =>
  chosen.map((match) => ({
    match: { ...match, method: 'GET' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })),
)

it('is skipped with what rests on it, and everything else is applied', async () => {
  const workspace = await openWorkspace({
    env: secrets,
    settings: `settings: { retry: { attempts: 3, maxDelay: 5ms }, sync: { timeout: 200ms } }
guards: { deletions: { max: 1000, percent: 100 }, removals: { max: 1000, percent: 100 } }`,
  })
  const { emulator } = workspace
  try {
    await tryLaw(
      fc.asyncProperty(situations, hidden, async ({ live, items }, faults) => {
        emulator.clearFaults()
        emulator.load(tenantOf(live))
        await workspace.control('DELETE', '/requests')
        writeManifests(workspace, [items])
        const whole = (await workspace.plan()).plan
        for (const fault of faults) emulator.addFault(fault)
        const guarded = 'as-allowed' as const
        const part = await workspace.run({ guarded }).catch((error: unknown) => {
          // Nobody is deleted beside what could not be read.
          expect(error).toBeInstanceOf(RefusedError)
          return undefined
        })
        const before = writesOf(emulator)
        if (part === undefined) expect(before).toEqual([])
        else {
          const { report, planned } = part
          const { steps, unreadable } = planned.plan
          expect(untruths(report, steps, before)).toEqual([])
          const skipped = skippedSteps(steps)
          const outcomes = new Map(report.steps.map(({ id, outcome }) => [id, outcome]))
          // Objects created without confirmation are another matter.
          const failed = report.steps.filter(({ outcome }) => outcome === 'failed')
          for (const { reason } of failed) expect(reason).toMatch(/^it was written/)
          for (const { id } of failed.length > 0 ? [] : steps)
            expect(outcomes.get(id) === 'skipped').toBe(skipped.has(id))
          // A subject without the new level keeps the old one.
          const subjects = (verb: string, isSkipped: boolean) =>
            steps
              .filter((step) => step.verb === verb && skipped.has(step.id) === isSkipped)
              .flatMap(({ address, collection, elements = [] }) =>
                elements.map((element) => `${address} ${collection} ${subjectKey(element)}`),
              )
          const taken = new Set(subjects('remove', false))
          const arriving = new Set(subjects('add', false))
          const bereft = subjects('add', true).filter((each) => taken.has(each) && !arriving.has(each))
          expect(bereft).toEqual([])
          const left = new Set([
            ...unreadable.map(({ address }) => address),
            ...steps.flatMap(({ id, address }) => (skipped.has(id) ? address : [])),
          ])
          const sent = (all: typeof steps) =>
            all
              .filter(({ address }) => !left.has(address))
              .map(({ address, verb, collection, elements, collections, spec }) =>
                JSON.stringify([address, verb, collection, elements, collections, spec]),
              )
              .sort()
          expect(sent(steps)).toEqual(sent(whole.steps))
          if (unreadable.length > 0) expect(report.outcome).toBe('partial')
        }
        emulator.clearFaults()
        const rest = await workspace.run({ guarded })
        expect(rest.report.outcome).toMatch(/^(?:converged|nothing-to-do)$/)
        expect(await workspace.changes()).toEqual([])
        expect(repeated(writesOf(emulator))).toEqual([])
      }),
      1 / 2,
    )
  } finally {
    await workspace.close()
  }
})
