// The commands that edit manifests for people: their options, exit codes and examples.
import { command, flag, mandatory, required, text } from '../program/command.ts'
import { connection, ofPlans, ofTarget, output, planning, reading, service, variables } from '../program/options.ts'

const { since, ledger } = ofPlans
const { allow } = planning

export const editing = {
  ...ofTarget,
  var: variables(),
  dryRun: flag('write nothing; print the difference'),
  force: flag('edit also if there are uncommitted changes'),
  offline: flag('do not ask the platform: edit without the plan'),
  ...output(),
  ...connection,
  ...{ allow, since, ledger },
}

export const leave = {
  ...editing,
  successor: text('<svcId>', 'who becomes manager, owner or Administrator where nobody else is'),
}

const { offline: _, ...online } = editing
export const accept = {
  ...online,
  only: reading.only,
  pullRequest: {
    ...flag('edit nothing here: keep a branch with one pull or merge request'),
    conflicts: ['until', 'reason'],
  },
  to: service('where the request is kept (default: auto, where the job runs)'),
  until: text('<date>', 'except the differences until this day has ended'),
  reason: text('<text>', 'why, for later readers'),
}

export const hire = {
  ...editing,
  like: mandatory('<svcId>', 'whose lists and licences the person gets'),
  name: text('<text>', 'name that people see'),
  email: text('<text>', 'where mail goes (default: the svcId, if it is an address)'),
  until: text('<date>', 'last day of the account, and of all that it has'),
  keepAccount: flag('end each entry and licence with --until; the account stays'),
}

export const ofPeople = {
  accept: command({
    does: 'write changes made by hand on the platform into the manifests',
    options: accept,
    exits: { partial: 'some differences were not taken', refused: 'somebody would stay Administrator: see --allow' },
    examples: [
      ['svcsync accept --dry-run', 'the difference, and the plan after it'],
      ['svcsync accept --only "group/finance@example.com"'],
      ['svcsync accept --until 2027-03-31 --reason Migration'],
      ['svcsync accept --allow exception-administrator=eva.mazur@example.com'],
      ['svcsync accept --pull-request', 'one commit for each object'],
    ],
    load: async () => async (options, console) =>
      options.until === undefined && options.reason === undefined
        ? (await import('./people/accept.ts')).acceptCommand(options, console)
        : (await import('./people/except.ts')).exceptCommand(options, console),
  }),
  leave: command({
    does: 'remove a person from all lists, and declare the account absent',
    args: { person: required('svcId of the person') },
    options: leave,
    exits: {},
    examples: [
      ['svcsync leave maria.wolska@example.com --dry-run'],
      ['svcsync leave jan.kos@example.com --successor anna.nowak@example.com'],
    ],
    load: async () => (await import('./people/leave.ts')).leaveCommand,
  }),
  rename: command({
    does: 'give a person a new login in all manifests',
    args: { old: required('svcId now'), new: required('svcId from now on') },
    options: editing,
    exits: {},
    examples: [['svcsync rename anna.nowak@example.com anna.kos@example.com']],
    load: async () => (await import('./people/rename.ts')).renameCommand,
  }),
  hire: command({
    does: 'give a person the lists and licences of a colleague',
    args: { person: required('svcId of the person') },
    options: hire,
    exits: { refused: 'the person would become Administrator: see --allow' },
    examples: [
      ['svcsync hire ewa@example.com --like maria@example.com --name "Ewa Mazur"'],
      ['svcsync hire ewa@example.com --like maria@example.com --until 2027-03-31'],
    ],
    load: async () => (await import('./people/hire.ts')).hireCommand,
  }),
}
