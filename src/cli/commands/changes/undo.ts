// `svcsync undo`: reverts an apply by its journal, planned, shown, asked about and applied like any other plan.
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { readJournal } from '@svcsync/journal/read-journal.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { readProjectAlone } from '@svcsync/runs/open/open-project.ts'
import { withPolicies } from '@svcsync/runs/open/with-policies.ts'
import { documentOf, planFileText } from '@svcsync/runs/saved/plan-file.ts'
import { writePlanFile } from '@svcsync/runs/saved/save-plan.ts'
import { saveUndo, undoRun } from '@svcsync/runs/saved/undo-run.ts'
import { placeOfJournal } from '../../planning/journal-in-git.ts'
import {
  allowancesOf,
  connectUnlessBroken,
  ledgerForApply,
  openOptions,
  runWith,
} from '../../planning/open-for-command.ts'
import { refuseIdleSaving } from '../../planning/plan-files.ts'
import { optionsOfPlan, planAs } from '../../planning/render-plan.ts'
import { withInterrupts } from '../../planning/run-apply.ts'
import { targetOf } from '../../planning/saved-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { contradiction, type SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { growYoungRoom, keepHeapSmall } from '../../v8-settings.ts'
import { version } from '../../version.ts'
import { askAndApply, isConfirmed } from './apply.ts'

export async function undoCommand(options: SharedOptions, console: Console, { journal: shown }: { journal: string }) {
  keepHeapSmall()
  const { out, maxAge } = options
  refuseIdleSaving(options)
  refuseIdleOptions(options)
  const agreed = isConfirmed(options)
  const readFor = (given: SharedOptions) => readProjectAlone(openOptions(given))
  const place = await placeOfJournal(shown, () => readFor(options).project, console)
  const journal = await readJournal(place).finally(place.discard)
  growYoungRoom(1)
  const target = targetOf(journal.plan, options)
  const read = readFor({ ...options, ...(target !== undefined && { target }) })
  return withInterrupts(
    console,
    async (kill) => {
      const opened = await withPolicies(read)
      const ledger =
        out === undefined ? await ledgerForApply({ from: 'undo', opened }, options, console, kill) : undefined
      const client = connectUnlessBroken(opened, options, console, kill)
      const allow = allowancesOf(options, opened)
      const run = { only: options.only, allow, version, createdAt: new Date().toISOString(), shown }
      const planned = await runWith(opened, client, console, (onProgress) =>
        undoRun(opened, client, journal, { ...run, onProgress }),
      )
      return { planned, opened: planned.opened, ledger, saved: () => saveUndo(planned, client, maxAge) }
    },
    async (prepared, interrupts) => {
      const { planned } = prepared
      const steps = formatCount(journal.plan.steps.length, 'step')
      const sent = journal.isBehind
        ? `how many of its ${steps} it sent is unknown, and the platform tells what is there`
        : `it had sent ${planned.sent} of its ${steps}`
      console.note(`Reverting the apply of ${journal.begunAt}: ${sent}.`)
      const applied = prepared.ledger?.applied
      if (applied !== undefined && Date.parse(applied.at) > Date.parse(journal.endedAt) + roundingMs)
        console.note(
          `The ledger has ${applied.commit.slice(0, 7)} as applied at ${applied.at}, after this journal ended: ` +
            'undo also reverts what that apply gave or removed again.',
        )
      if (out === undefined) return askAndApply(prepared, options, agreed, console, interrupts)
      const saved = await prepared.saved()
      const { checksum: _, ...plan } = saved
      writePlanFile(resolve(cwd(), out), planFileText(plan), out)
      const { target: __, ...ofSaved } = { ...options, var: {} }
      const ways = { file: out, options: optionsOfPlan(ofSaved) }
      await console.result(await planAs(documentOf(saved), options, console, ways))
      console.note(`Saved to ${out}; it expires at ${saved.expiresAt}.`)
      return planned.document.unreadable.length > 0 ? exitCodes.error : exitCodes.done
    },
  )
}

/** The entry of the journal's own apply may be that much later than the journal. */
const roundingMs = 100

function refuseIdleOptions({ out, ...options }: SharedOptions): void {
  const applying = out === undefined ? [] : (['yes', 'confirm', 'expect', 'journal'] as const)
  const idle = applying.find((name) => options[name] !== undefined)
  if (idle === undefined) return
  const hint = `Remove it here, and pass it to \`svcsync apply ${out}\`.`
  throw contradiction(`--${idle}`, '--out', hint, '`--out` only saves the plan')
}
