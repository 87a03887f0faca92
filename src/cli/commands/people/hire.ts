// `svcsync hire`: into the lists of somebody else, but for what makes an Administrator.
import { administratorsIn } from '@svcsync/core/access/describe-access.ts'
import { shellOption } from '@svcsync/core/guards/shell-option.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { hireEdits } from '@svcsync/editor/hire-edits.ts'
import { inCode, RefusedError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { editProject } from '@svcsync/runs/edit/edit-project.ts'
import type { ProjectForEdit } from '@svcsync/runs/edit/open-for-edit.ts'
import type { Values } from '../../program/command.ts'
import { allowed } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import type { hire } from '../people.ts'
import { editMisuse, finishEdit, openEdit, unknownPerson } from './edit-for-command.ts'

export async function hireCommand(options: Values<typeof hire>, console: Console, { person }: { person: string }) {
  const { like, name, email, until, keepAccount: entriesEnd = false } = options
  const project = openEdit(options, console)
  const { normalise } = project.targets[0].assembly
  const key = normalise(person)
  if (key === normalise(like))
    throw editMisuse(`${inCode(person)} cannot be hired like themselves`, 'Name somebody else.')
  if (until !== undefined) checkUntil(until, project)
  else if (entriesEnd) throw editMisuse('`--keep-account` says nothing without `--until`', 'Add `--until DATE`.')
  const allowance = `exception-administrator=${person}`
  const administers = allowed(options, 'exception-administrator').some((each) => normalise(each) === key)
  const hired = { person, like, name, email, until, entriesEnd, administers }
  const { edits, isUnknown, named, declares } = hireEdits(project.targets, hired)
  if (isUnknown) throw unknownPerson(project, like)
  if (until !== undefined && !entriesEnd && !declares)
    throw editMisuse(
      `\`--until\` ends an account, and \`hire\` declares none for ${inCode(person)}`,
      '`--keep-account` ends each entry and licence instead.',
    )
  const edited = editProject(project, edits, ({ accounts }, which) => which === 'added' && accounts.includes(key))
  const notes = [
    ...(named.length === 0 ? [] : [`Not copied from ${like}:`, ...named.map((line) => `  ${line}`)]),
    ...(administers || !named.some((line) => line.includes('Administrator'))
      ? []
      : [`To take what makes an Administrator as well: ${shellOption(allowance)}`]),
    ...(until !== undefined && entriesEnd ? ['The account has no end: `svcsync leave` takes it out.'] : []),
  ]
  return finishEdit(edited, options, console, {
    notes,
    check: ({ document }) => {
      const gained = document.access === undefined ? [] : administratorsIn(document.access, kinds)
      const addresses = gained
        .filter(({ subject }) => subject !== null && normalise(subject) === key)
        .map(({ address }) => address)
      if (administers || addresses.length === 0) return
      throw new RefusedError('SVC2307', `${inCode(person)} would become Administrator: nothing is written`, {
        reasons: addresses.map((address) => `Administrator of ${address}, through what the platform has`),
        hint: 'If that is right, allow it:',
        options: shellOption(allowance),
      })
    },
  })
}

function checkUntil(until: string, { targets: [{ project, assembly }] }: ProjectForEdit): void {
  const untilMs = boundMs(until, true, project.settings.timeZone)
  if (untilMs !== undefined && untilMs > assembly.time.nowMs) return
  throw editMisuse(
    `\`--until ${until}\` is ${untilMs === undefined ? 'no date' : 'over'}`,
    'Write a day to come, like `2027-03-31`.',
  )
}
