// The law of applying, of manifests that a command has edited: who leaves, gets a new login, joins, ends, and what was
// accepted.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { heldBy } from '../harness/people.ts'
import { isThorough } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { applyCases, schedules } from './apply-cases.ts'
import { expectApplyLaw, prepare } from './apply-law.ts'
import { afterCommand, type Command, commands } from './commands.ts'
import { tryLaw } from './law-runs.ts'
import { secrets } from './world.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

it('holds whatever fails, and a second run finishes the work', async () => {
  const made = new Map<Command['what'], number>()
  await tryLaw(
    fc.asyncProperty(applyCases(schedules), commands, async (given, command) => {
      await prepare(workspace, { ...given, faults: [], syncDelayMs: 0 })
      const after = await afterCommand(workspace, given, command)
      if (after !== undefined) made.set(command.what, (made.get(command.what) ?? 0) + 1)
      await expectApplyLaw(workspace, after?.given ?? given)
      // If another run has nothing to do, nothing of the leaver remains.
      if (after?.gone === undefined || (await workspace.changes({ nowMs })).length > 0) return
      // Undeclared entries stay, and the plan has warned of licences.
      const told = new Set(
        after.given.items.flatMap(({ item }) =>
          item.managerSvcId === undefined ? [] : `manager of ${String(item.svcId)}`,
        ),
      )
      const left = heldBy(workspace.emulator, after.gone).filter(
        (line) => !/^(?:licence|stands in|stood in)/.test(line) && (!line.startsWith('manager of') || told.has(line)),
      )
      expect(left).toEqual([])
    }),
    2,
  )
  // `accept` seldom takes a whole case: some part holds a reference.
  expect([...made.keys()]).toEqual(
    expect.arrayContaining(['leave', 'rename', 'hire', 'end', ...(isThorough ? ['accept'] : [])]),
  )
})
