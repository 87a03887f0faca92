// The commands that plan and apply: their options, exit codes and examples.

import { forTargets } from '../planning/for-targets.ts'
import { command, flag, optional, repeatable, required } from '../program/command.ts'
import { formatsOf } from '../program/formats.ts'
import { format, ofPlans, output, overTargets, planning, type SharedOptions, service } from '../program/options.ts'

const { summary, due, rotate, since, ledger, unmanaged, yes, confirm, expect, approved, approvedBy, approvals } =
  ofPlans
const { out, maxAge, journal, resume, leaseTimeout } = ofPlans

export const plan = {
  ...planning,
  ...overTargets,
  ...{ due, summary },
  detailedExitcode: flag('exit with 2 if there are differences'),
  ...{ rotate, since, ledger, unmanaged, out, maxAge },
}

export const drift = {
  ...planning,
  ...overTargets,
  ...{ summary, since, ledger, unmanaged },
  access: flag('show undeclared access, too: see `access accept`'),
  notify: repeatable('<name>', 'tell a webhook of the project file of a changed verdict: with --to, or a ledger'),
  to: service('keep one issue of the target; `auto`: where the job runs'),
}

export const apply = {
  ...planning,
  ...overTargets,
  ...{ summary, due, rotate, since, ledger, yes, expect, approved, approvedBy, approvals },
  confirm: repeatable('<target>', confirm.does as string),
  maxAge: { ...maxAge, does: 'refuse a saved plan that is older' },
  ...{ journal, resume, leaseTimeout },
}

export const undo = { ...planning, ...{ yes, confirm, expect, out, maxAge, journal, ledger, leaseTimeout } }

export const show = { format: format(formatsOf('plan')), ...output('the plan and errors'), summary }

const applied = { partial: true, refused: true, notConverged: true, interrupted: true } as const

export const changes = {
  plan: command({
    does: 'read, compare, and print what would change',
    options: plan,
    exits: { differences: 'there are differences, with --detailed-exitcode', interrupted: true },
    examples: [
      ['svcsync plan --target prod'],
      ['svcsync plan --only "group/*" --verbose', 'only groups, with values in full'],
      ['svcsync plan --out plan.json', 'for `svcsync apply plan.json`'],
    ],
    load: async () => forTargets('plan', (await import('./changes/plan.ts')).planCommand),
  }),
  apply: command({
    does: 'plan, ask, and apply; or apply a saved plan',
    args: { plan: optional('a file that `plan --out` has written') },
    options: apply,
    exits: applied,
    examples: [
      ['svcsync apply', 'plan, ask, apply'],
      ['svcsync apply --expect 08c8dd4c69b25d20', 'the plan that was reviewed'],
      ['svcsync apply plan.json', 'a saved plan'],
      ['svcsync apply --yes --journal apply.jsonl', 'can be resumed after a kill'],
      ['svcsync apply --resume apply.jsonl'],
    ],
    load: async () =>
      forTargets('apply', async (one: SharedOptions, console, args: { plan?: string }) =>
        one.resume === undefined
          ? (await import('./changes/apply.ts')).applyCommand(one, console, args)
          : (await import('./changes/resume.ts')).resumeCommand(one, console, args.plan, one.resume),
      ),
  }),
  undo: command({
    does: 'revert an apply by its journal: plan, ask, and apply',
    args: { journal: required('a file that `apply --journal` has written; `git:` reads the journal from its ref') },
    options: { ...undo, journal: { ...journal, does: 'write a journal of the undo, to resume or undo it' } },
    exits: applied,
    examples: [
      ['svcsync undo apply.jsonl', 'plan, ask, apply'],
      ['svcsync undo apply.jsonl --out undo.json', 'for `svcsync apply undo.json`'],
      ['svcsync undo apply.jsonl --journal undo.jsonl', 'can be undone as well'],
    ],
    load: async () => (await import('./changes/undo.ts')).undoCommand,
  }),
  show: command({
    does: 'show a saved plan',
    args: { plan: required('a file that `plan --out` has written') },
    options: show,
    exits: { refused: 'the file is no unaltered plan' },
    examples: [['svcsync show plan.json'], ['svcsync show plan.json --format markdown']],
    load: async () => (await import('./changes/show.ts')).showCommand,
  }),
  drift: command({
    does: 'plan for a schedule: exit with 2 if there are differences',
    options: drift,
    exits: { differences: true, interrupted: true },
    examples: [
      ['svcsync drift'],
      ['svcsync drift --only "process/**" --format markdown'],
      ['svcsync drift --access --to github', 'one issue for each target'],
    ],
    load: async () => forTargets('drift', (await import('./changes/plan.ts')).driftCommand),
  }),
}
