// The law of applying, of manifests that a command has edited: who leaves, gets a new login, joins, ends, and what was accepted.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isThorough } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { applyCases, schedules } from './apply-cases.ts'
import { expectApplyLaw, prepare } from './apply-law.ts'
import { afterCommand, type Command, commands } from './commands.ts'
import { tryLaw } from './law-runs.ts'
import { secrets } from './world.ts'

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
      await expectApplyLaw(workspace, after ?? given)
    }),
    2,
  )
  // What `accept` takes whole is rare: some of a case holds a reference.
  expect([...made.keys()]).toEqual(
    expect.arrayContaining(['leave', 'rename', 'hire', 'end', ...(isThorough ? ['accept'] : [])]),
  )
})
