// The platform goes away in the middle of an apply: the run ends soon, and says nothing of what it did not see.
import { expect, it } from 'vitest'
import { openWorkspace } from '../harness/workspace.ts'

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
    // What was written was not seen to be usable; what was never sent is skipped with the reason.
    expect(report.counts.unknown).toBeGreaterThanOrEqual(4)
    expect(report.verified).toEqual({ equal: 0, unequal: [] })
    expect(report.steps.at(-1)).toMatchObject({ address: 'group/g@x', outcome: 'skipped' })
  } finally {
    await workspace.close()
  }
})
