// Journals that cannot be kept, or not be read: said before the first write, or as an end of the run that loses
// nothing.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { OperatorError } from '../../src/errors/index.ts'
import { beginJournal, createJournalWriter, type Journal } from '../../src/journal/journal.ts'
import { readJournal } from '../../src/journal/read-journal.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { emptyPlan } from '../render/plan-fixture.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-journal-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

const steps = ['1', '2', '3', '4'].map((id) => ({
  id,
  address: `user/${id}`,
  kind: 'user',
  verb: 'create',
  at: {},
  dependsOn: [],
  liveDigest: `sha256:${'0'.repeat(64)}`,
}))
const document = { ...emptyPlan, steps } as PlanDocument
const facts = { accounts: [], behind: [], listed: {}, declaredAs: {}, references: [], later: [] }
const plan: Parameters<typeof beginJournal>[1] = {
  document,
  preconditions: { ...facts, svcIds: 'ignore-case', objects: [] },
}
const placeOf = (name: string) => ({
  path: join(dir, name),
  shown: name,
  clock: () => Date.parse('2026-01-01T00:00:00Z'),
})
const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('a journal', () => {
  it('is its owner’s alone, begins with the plan, and tells of each write before and after it', async () => {
    const journal = await beginJournal(placeOf('a.jsonl'), plan)
    await journal.sending({ id: '1' }, 1)
    journal.answered({ id: '1' }, { outcome: 'done', attempts: 1 })
    await journal.sending({ id: '2' }, 1)
    await journal.sending({ id: '2' }, 2)
    await journal.sending({ id: '3' }, 1)
    journal.answered({ id: '3' }, { outcome: 'failed', attempts: 1, reason: 'No.' })
    await journal.close()
    expect(statSync(join(dir, 'a.jsonl')).mode & 0o777).toBe(0o600)
    const { steps, finished, length } = await readJournal(placeOf('a.jsonl'))
    expect([...steps]).toEqual([
      ['1', { state: 'done', attempts: 1, line: 2 }],
      ['2', { state: 'unknown', attempts: 2, line: 4 }],
      ['3', { state: 'not-done', attempts: 1, line: 6 }],
    ])
    expect(finished).toBeUndefined()
    // A copy may lack the last lines: only what was answered is known.
    const copy = await readJournal({ ...placeOf('a.jsonl'), keeper: {} })
    expect([...copy.steps].map(([id, { state, attempts }]) => [id, state, attempts])).toEqual([
      ['1', 'done', 1],
      ['2', 'unknown', 2],
      ['3', 'not-done', 1],
      ['4', 'unknown', 1],
    ])
    expect(length).toBe(statSync(join(dir, 'a.jsonl')).size)
  })

  it.each([
    ['in a folder that is not there', 'none/a.jsonl', 'SVC2121'],
    ['where there is one already', 'a.jsonl', 'SVC2122'],
    ['that is a folder', '.', 'SVC2121'],
  ])('%s is refused', async (_what, name, code) => {
    expect(await failureOf(beginJournal(placeOf(name), plan))).toMatchObject({ code, actor: 'operator' })
  })

  it('that the disk has no room for is refused', async () => {
    const huge = { ...plan, document: { steps: { length: 1e14 } } as unknown as PlanDocument }
    const failure = await failureOf(beginJournal(placeOf('huge.jsonl'), huge))
    expect(failure).toMatchObject({ code: 'SVC2121', message: expect.stringContaining('the disk is full') })
  })

  it.each([
    ['nothing', ''],
    ['half a line', '{"event":"begun"'],
    ['something else', '{"a":1}\n'],
    ['no plan', '{"event":"begun","formatVersion":"1.0"}\n'],
    ['a later format', '{"event":"begun","formatVersion":"2.0","plan":{"steps":[]}}\n'],
    ['a strange step', '{"event":"begun","formatVersion":"1.0","plan":{"steps":[]}}\n{"event":"sending","step":"9"}\n'],
    ['a broken line', '{"event":"begun","formatVersion":"1.0","plan":{"steps":[]}}\n{"event"\n'],
  ])('that holds %s is not gone on with', async (_what, text) => {
    writeFileSync(join(dir, 'b.jsonl'), text)
    expect(await failureOf(readJournal(placeOf('b.jsonl')))).toMatchObject({ code: 'SVC2124' })
    expect(await failureOf(readJournal(placeOf('c.jsonl')))).toMatchObject({ code: 'SVC2123' })
  })
})

describe('the writer', () => {
  it('lets lines that come together share a flush, and answers none before it', async () => {
    const calls: string[] = []
    const file: Parameters<typeof createJournalWriter>[0] = {
      append: async (text) => void calls.push(`append ${text.trim().split('\n').length}`),
      flush: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        calls.push('flush')
      },
      close: async () => undefined,
    }
    const writer = createJournalWriter(file, (error) => error as Error, JSON.stringify)
    const kept = (line: number) => writer.write({ line }).then(() => calls.push(`kept ${line}`))
    const first = Promise.all([kept(1), kept(2), kept(3)])
    await Promise.resolve()
    await Promise.resolve()
    await Promise.all([first, kept(4), kept(5)])
    expect(calls.filter((call) => !call.startsWith('kept'))).toEqual(['append 3', 'flush', 'append 2', 'flush'])
    expect(calls.indexOf('kept 1')).toBeGreaterThan(calls.indexOf('flush'))
    expect(calls.indexOf('kept 4')).toBeGreaterThan(calls.lastIndexOf('flush'))
  })
})

it('ends a run as the first interrupt does when the disk gets full, and says so', async () => {
  const workspace = await openWorkspace()
  try {
    const names = Array.from({ length: 30 }, (_, index) => `{ name: c${index}, common: x }`)
    workspace.manifest(`database: main\nconstants: [${names}]`)
    const opened = workspace.open({ concurrency: 4 })
    const client = connect(opened.project, { version: 'test', env: {} })
    const createdAt = '2026-01-01T00:00:00Z'
    const planned = await planRun(opened, client, { only: [], version: 'test', createdAt })
    let told = 0
    const full = new OperatorError('SVC2121', 'The journal j cannot be written: the disk is full')
    const journal = async (): Promise<Journal> => ({
      sending: async () => {
        if (++told > 10) throw full
      },
      answered: () => undefined,
      finish: () => Promise.reject(full),
      close: async () => undefined,
    })
    const stop = new AbortController().signal
    const report = await applyRun(opened, client, planned, { stop, journal })
    await client.close()
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 10, skipped: 20, failed: 0, unknown: 0 } })
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
    expect(JSON.stringify(report)).toContain('the disk is full')
    expect(await workspace.changes()).toHaveLength(20)
  } finally {
    await workspace.close()
  }
})

it('keeps no journal where nothing is to be done', async () => {
  const workspace = await openWorkspace()
  try {
    const opened = workspace.open()
    const client = connect(opened.project, { version: 'test', env: {} })
    const planned = await planRun(opened, client, {
      only: [],
      version: 'test',
      createdAt: '2026-01-01T00:00:00Z',
    })
    const journal = () => beginJournal(placeOf('idle.jsonl'), planned)
    await applyRun(opened, client, planned, { stop: new AbortController().signal, journal })
    await client.close()
    expect(() => readFileSync(join(dir, 'idle.jsonl'))).toThrow()
  } finally {
    await workspace.close()
  }
})
