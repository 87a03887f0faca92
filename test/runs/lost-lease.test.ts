// An apply and its lease: taken only before the first write, always given back, and no step after it is lost.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connect } from '../../src/runs/open/connect.ts'
import { type ApplyRunOptions, applyRun } from '../../src/runs/plan/apply-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
let told: string[]
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(() => {
  told = []
  workspace.emulator.load({ users: [], groups: [] })
  const names = ['a', 'b', 'c', 'd'].map((name) => `  - { svcId: ${name}@example.com, name: ${name} }`)
  workspace.manifest(`groups:\n${names.join('\n')}\n`)
})

const ledgerWith = (lost: AbortSignal): NonNullable<ApplyRunOptions['ledger']> => ({
  takeLease: async () => {
    told.push('taken')
    return {
      name: 'a lease',
      lost,
      giveBack: async (came) => {
        told.push(`given back: ${came}`)
        return lost.aborted ? ['The lease was lost.'] : []
      },
    }
  },
  note: async ({ outcome }) => {
    told.push(`noted: ${outcome}`)
    return { ref: 'refs/svcsync/applied/test', commit: null, moved: false }
  },
})

it('is given back after the ledger was moved, and not taken where nothing is to do', async () => {
  const ledger = ledgerWith(new AbortController().signal)
  expect((await workspace.apply({ ledger })).ledger).toEqual({
    ref: 'refs/svcsync/applied/test',
    commit: null,
    moved: false,
  })
  expect(told).toEqual(['taken', 'noted: converged', 'given back: begun'])
  await workspace.apply({ ledger })
  expect(told.slice(3)).toEqual(['noted: nothing-to-do'])
})

it('once lost, no further step starts, and the report says why', async () => {
  const lost = new AbortController()
  const report = await workspace.apply({
    ledger: ledgerWith(lost.signal),
    concurrency: 1,
    onEvent: ({ type }) => type === 'step-started' && lost.abort(),
  })
  expect(report).toMatchObject({ outcome: 'interrupted', ledger: { lease: ['The lease was lost.'] } })
  expect(report.counts.skipped).toBeGreaterThan(0)
  expect(told).toEqual(['taken', 'noted: interrupted', 'given back: begun'])
})

it('is given back by a run that ends with an error', async () => {
  const ledger: NonNullable<ApplyRunOptions['ledger']> = {
    ...ledgerWith(new AbortController().signal),
    note: () => Promise.reject(new TypeError('x')),
  }
  await expect(workspace.apply({ ledger })).rejects.toThrow('x')
  expect(told).toEqual(['taken', 'given back: begun'])
})

it('is given back as of a run that has begun nothing where nothing was sent', async () => {
  const ledger = ledgerWith(new AbortController().signal)
  await workspace.apply({ ledger, stop: AbortSignal.abort() })
  const { planned } = await workspace.run()
  workspace.emulator.load({ users: [], groups: [] })
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {} })
  const journal = () => Promise.reject(new TypeError('full'))
  const stop = new AbortController().signal
  await expect(applyRun(opened, client, planned, { stop, ledger, journal })).rejects.toThrow('full')
  await client.close()
  expect(told).toEqual(['taken', 'noted: interrupted', 'given back: nothing', 'taken', 'given back: nothing'])
})
