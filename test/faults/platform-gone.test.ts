// The platform goes away in the middle of an apply: the run ends soon, and says nothing of what it did not see.
import { expect, it } from 'vitest'
import { PlatformError } from '../../src/errors/index.ts'
import { renderReportText } from '../../src/render/report/report-blocks.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

it('ends the run without waiting for synchronisation that nobody can see any more', async () => {
  const workspace = await openWorkspace({
    syncDelayMs: 60_000,
    settings: 'settings: { retry: { attempts: 2, maxDelay: 20ms } }',
  })
  try {
    const users = Array.from({ length: 12 }, (_, index) => `  - { svcId: u${index}@x }\n`).join('')
    workspace.manifest(`users:\n${users}groups:\n  - { svcId: g@x, name: G, members: [u0@x] }\n`)
    await workspace.control('PATCH', '/settings', { latencyMs: 30 })
    let written = 0
    const { report } = await workspace.run({
      concurrency: 2,
      onEvent: (event) => {
        if (event.type === 'step-written' && ++written === 4) void workspace.emulator.close()
      },
    })
    expect(report.outcome).toBe('partial')
    // A write that was never confirmed is unknown; a step that was never sent is skipped with the reason.
    expect(report.counts.unknown).toBeGreaterThanOrEqual(4)
    expect(report.verified).toEqual({ equal: 0, unequal: [] })
    expect(report.steps.at(-1)).toMatchObject({ address: 'group/g@x', outcome: 'skipped' })
  } finally {
    await workspace.close()
  }
})

it.each([500, 503])(
  'does not hammer a platform that answers nothing but %i, says so once, and loses nothing',
  async (status) => {
    const workspace = await openWorkspace({ settings: 'settings: { retry: { attempts: 3, maxDelay: 40ms } }' })
    try {
      const constants = Array.from({ length: 300 }, (_, index) => `  - { name: c${index}, common: x }\n`).join('')
      workspace.manifest(`database: main\nconstants:\n${constants}`)
      let written = 0
      const { planned, report } = await workspace.run({
        concurrency: 8,
        onEvent: (event) => {
          if (event.type !== 'step-written' || ++written !== 40) return
          workspace.emulator.addFault({ count: null, effect: { kind: 'status', status } })
        },
      })
      const refused = workspace.emulator.requests().filter((request) => request.status === status)
      // The failures in a row, what was under way beside them in both lanes, and the looks; without the breaker, 1,500.
      expect(refused.length).toBeLessThanOrEqual(60)
      expect(report.outcome).toBe('partial')
      expect(report.counts.done).toBeGreaterThanOrEqual(40)
      expect(report.counts.skipped).toBeGreaterThan(200)
      expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
      const text = renderReportText(report, { colour: false, width: 200 })
      expect(text.match(/The platform is down/g)?.length).toBeLessThanOrEqual(2)
      workspace.emulator.clearFaults()
      expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    } finally {
      await workspace.close()
    }
  },
)

it('does not let a guard pass because the platform failed to say as whom svcsync writes', async () => {
  const users = ['a@x', 'b@x'].map((svcId) => ({ svcId, name: svcId }))
  const workspace = await openWorkspace({
    tenant: { users, groups: [{ svcId: 'g@x', name: 'G', members: ['a@x', 'b@x'] }] },
    settings: 'settings: { retry: { attempts: 2, maxDelay: 20ms } }',
  })
  try {
    workspace.manifest('groups: [{ svcId: g@x, name: G, members: [a@x] }]')
    for (const effect of [{ kind: 'status', status: 500 } as const, { kind: 'reset' } as const]) {
      workspace.emulator.addFault({ match: { method: 'GET', path: '/me' }, count: null, effect })
      await expect(workspace.run({ guarded: true, allow: ['acting-application=unknown'] })).rejects.toBeInstanceOf(
        PlatformError,
      )
      workspace.emulator.clearFaults()
    }
    expect(writesOf(workspace.emulator)).toEqual([])
  } finally {
    await workspace.close()
  }
})
