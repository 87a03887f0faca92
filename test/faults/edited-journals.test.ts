// Journals that somebody has edited, and chained anew: nothing beyond the plan is written, guards are asked again, and
// the platform is called as declared only where it is.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import { documentTexts } from '../../src/core/plan/plan-digest.ts'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { Preconditions } from '../../src/core/plan/precondition.ts'
import { RefusedError, SvcsyncError } from '../../src/errors/index.ts'
import { chainLine } from '../../src/journal/chain.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { edited, editedValues, pathsIn } from '../harness/edit-json.ts'
import { applyUntilKilled, resume } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { tryLaw } from '../laws/law-runs.ts'

const people = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`)
const tenant = {
  users: people.map((svcId) => ({ svcId, name: svcId })),
  groups: [{ svcId: 'g@example.com', name: 'G', members: people }],
  databases: [{ id: 1 }],
}
const manifest = `database: main
users:
  - { svcId: a@example.com, name: Anna }
  - { svcId: b@example.com, name: Bea }
  - { svcId: new@example.com, name: New }
groups:
  - { svcId: g@example.com, name: G, members: [a@example.com, b@example.com, c@example.com, new@example.com] }
constants: [{ name: C, common: "1" }]
`
let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    settings: 'settings: { retry: { attempts: 2, maxDelay: 5ms }, sync: { timeout: 2s } }',
  })
})
afterAll(() => workspace.close())
beforeEach(() => start())

async function start(): Promise<void> {
  workspace.emulator.load(tenant as never)
  workspace.manifest(manifest)
  await workspace.control('DELETE', '/requests')
}

let next = 0
type Line = Record<string, Json>

/** The lines of a journal that was broken off at a write, without their chains. */
async function brokenOff(atWrite: number, sent = true): Promise<{ readonly file: string; readonly lines: Line[] }> {
  const file = `edited-${next++}.jsonl`
  await applyUntilKilled(workspace, file, { atWrite, sent }, { concurrency: 1 })
  const lines = readFileSync(join(workspace.dir, file), 'utf8').trimEnd().split('\n')
  return {
    file,
    lines: lines.map((line) => {
      const { chain: _, ...rest } = JSON.parse(line) as Line & { readonly chain: string }
      return rest as Line
    }),
  }
}

/** As one who knows how journals are made would write it: with the digest and the chain of what it says now. */
function write(file: string, lines: readonly Line[], redigest = true): void {
  const [first, ...rest] = lines
  let chain = 'sha256:0'
  const begun = structuredClone(first) as unknown as { plan?: PlanDocument; preconditions?: Preconditions }
  try {
    const { plan, preconditions } = begun as { plan: PlanDocument; preconditions: Preconditions }
    if (redigest) {
      begun.plan = { ...plan, digest: sha256(documentTexts(preconditions.svcIds).content(plan, preconditions)) }
    }
    chain = (begun.plan as PlanDocument).digest
  } catch {
    // No plan any more: it is refused for that.
  }
  const texts = [begun as unknown as Line, ...rest].map((line) => {
    const linked = chainLine(JSON.stringify(line), String(chain))
    chain = linked.chain
    return linked.text
  })
  writeFileSync(join(workspace.dir, file), `${texts.join('\n')}\n`)
}

const failureOf = async (file: string): Promise<unknown> =>
  resume(workspace, file, { guarded: true }).then(
    ({ report }) => report,
    (error: unknown) => error,
  )

/** Only changes of the manifests: whatever a journal says, no write goes beyond them. */
function isOfThePlan({
  method,
  path,
  query,
  body,
}: {
  method: string
  path: string
  query?: unknown
  body?: unknown
}): boolean {
  const text = JSON.stringify([method, path, query, body])
  if (method === 'DELETE') return false
  if (path.endsWith('/members/remove')) return ['d', 'e', 'f'].some((name) => text.includes(`${name}@example.com`))
  return /Anna|Bea|New|new@example\.com|"C"/.test(text)
}

describe('an edited journal', () => {
  it('is refused where its lines do not follow from each other', async () => {
    const { file, lines } = await brokenOff(3)
    write(file, lines)
    const whole = readFileSync(join(workspace.dir, file), 'utf8').trimEnd().split('\n')
    const before = writesOf(workspace.emulator).length
    const tried = [
      ...whole.slice(0, -1).map((_, index) => whole.filter((_, other) => other !== index)),
      ...whole.map((line, index) => whole.toSpliced(index, 0, line)),
      ...whole.slice(0, -1).map((line, index) => whole.toSpliced(index, 2, whole[index + 1] as string, line)),
      ...whole.map((line, index) => whole.with(index, line.replace(/"at":"2/, '"at":"1'))),
      ...whole.map((line, index) => whole.with(index, line.replace(/"chain":"sha256:./, '"chain":"sha256:'))),
    ]
    for (const each of tried) {
      writeFileSync(join(workspace.dir, file), `${each.join('\n')}\n`)
      const failure = await failureOf(file)
      expect(failure).toBeInstanceOf(SvcsyncError)
      expect(['SVC2103', 'SVC2124', 'SVC2129']).toContain((failure as SvcsyncError).code)
    }
    expect(writesOf(workspace.emulator)).toHaveLength(before)
  })

  it('does not get past guards, whatever it says of them', async () => {
    // Five of six members leave: no limit lets that pass unasked.
    workspace.manifest(manifest.replace(', b@example.com, c@example.com, new@example.com]', ']'))
    const { file, lines } = await brokenOff(1, false)
    const begun = lines[0] as unknown as { plan: PlanDocument }
    expect(begun.plan.guards.filter(({ verdict }) => verdict === 'refused')).not.toEqual([])
    for (const guards of [[], begun.plan.guards.map((each) => ({ ...each, verdict: 'allowed' as const }))]) {
      write(file, [{ ...lines[0], plan: { ...begun.plan, guards } as unknown as Json }, ...lines.slice(1)])
      expect(await failureOf(file)).toMatchObject({ code: 'SVC2070', options: '--allow removals=5' })
      expect(writesOf(workspace.emulator)).toEqual([])
    }
    const { report } = await resume(workspace, file, { guarded: true, allow: ['removals=5'] })
    expect(report.outcome).toBe('converged')
  })

  it.each([1, 3])(
    'that lacks steps of its plan is refused: as declared is what the manifests say (killed at %i)',
    async (at) => {
      const { file, lines } = await brokenOff(at)
      const begun = lines[0] as unknown as { plan: PlanDocument; preconditions: Preconditions }
      for (const { address } of begun.plan.steps) {
        const others = begun.plan.steps.filter((step) => step.address !== address)
        const ids = new Set(others.map(({ id }) => id))
        const plan = {
          ...begun.plan,
          steps: others,
          changes: begun.plan.changes.filter((change) => change.address !== address),
        }
        const told = lines.slice(1).filter((line) => ids.has(String(line.step)))
        // Removing a completed step changes nothing.
        write(file, [{ ...lines[0], plan: plan as unknown as Json }, ...told])
        const failure = await failureOf(file)
        const wasBegun = lines.some((line) =>
          begun.plan.steps.some((step) => step.address === address && step.id === line.step),
        )
        if (!wasBegun) expect(failure).toMatchObject({ code: 'SVC2126' })
        if (failure instanceof Error) expect(failure).toBeInstanceOf(RefusedError)
        if (!(failure instanceof Error)) expect(await workspace.changes()).toEqual([])
        await start()
        await applyUntilKilled(workspace, `again-${next++}.jsonl`, { atWrite: at, sent: true }, { concurrency: 1 })
      }
    },
  )

  it('of an older form is refused in a sentence', async () => {
    const { file, lines } = await brokenOff(2)
    const older = { formatVersion: '1.0' }
    writeFileSync(
      join(workspace.dir, file),
      lines.map((line) => `${JSON.stringify({ ...line, ...(line.event === 'begun' && older) })}\n`).join(''),
    )
    expect(await failureOf(file)).toMatchObject({
      code: 'SVC2124',
      message: expect.stringContaining('its format is 1.0, and this svcsync reads 2.0'),
    })
  })
})

type How = 'edit' | 'remove' | 'repeat' | 'swap'

function changedLines(
  lines: readonly Line[],
  edits: readonly { at: number; value: Json | undefined }[],
  how: How,
): Line[] {
  const index = (edits[0]?.at ?? 0) % lines.length
  if (how === 'remove') return lines.toSpliced(index, 1)
  if (how === 'repeat') return lines.toSpliced(index, 0, lines[index] as Line)
  if (how === 'swap') return lines.toSpliced(index, 1).toSpliced(index + 1, 0, lines[index] as Line)
  let changed = lines as unknown as Json
  for (const { at, value } of edits) {
    const paths = pathsIn(changed)
    const path = paths[at % paths.length] ?? []
    if (path.length > 0) changed = edited(changed, path, value) as Json
  }
  return changed as unknown as Line[]
}

it('writes nothing beyond the plan, and tells no lie, whatever was edited in its journal', async () => {
  const seen = { refused: 0, carriedOn: 0 }
  await tryLaw(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.record({ at: fc.nat(), value: editedValues }), { minLength: 1, maxLength: 2 }),
      fc.constantFrom<How>('edit', 'remove', 'repeat', 'swap'),
      fc.boolean(),
      async (atWrite, edits, how, redigest) => {
        await start()
        const { file, lines } = await brokenOff(atWrite)
        const changed = changedLines(lines, edits, how)
        if (changed.length === 0 || typeof changed[0] !== 'object') return
        write(file, changed, redigest)
        await workspace.control('DELETE', '/requests')
        const result = await failureOf(file)
        const writes = writesOf(workspace.emulator)
        for (const each of writes) expect(isOfThePlan(each as never), JSON.stringify(each)).toBe(true)
        if (result instanceof Error) {
          expect(result, String((result as Error).stack)).toBeInstanceOf(SvcsyncError)
          expect(writes).toEqual([])
          seen.refused++
        } else {
          const { outcome } = result as { readonly outcome: string }
          if (outcome === 'converged' || outcome === 'nothing-to-do') expect(await workspace.changes()).toEqual([])
          seen.carriedOn++
        }
      },
    ),
  )
  expect(Math.min(seen.refused, seen.carriedOn)).toBeGreaterThan(0)
})
