// `svcsync rename`: a new login in every place; the old account is let go of.

import { placeOfField } from '@svcsync/core/model/desired.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { changedFields } from '@svcsync/editor/facts.ts'
import { renameEdits } from '@svcsync/editor/rename-edits.ts'
import { type AccountUse, usesInAll } from '@svcsync/editor/uses.ts'
import { formatPlace, inCode, OperatorError } from '@svcsync/errors/index.ts'
import { type EditedProject, editProject, withExceptions } from '@svcsync/runs/edit/edit-project.ts'
import type { Values } from '../../program/command.ts'
import type { Console } from '../../terminal/console.ts'
import type { editing } from '../people.ts'
import { editMisuse, finishEdit, openEdit, refuseStillNamed, unknownPerson } from './edit-for-command.ts'

export async function renameCommand(
  options: Values<typeof editing>,
  console: Console,
  { old, new: login }: Readonly<Record<'old' | 'new', string>>,
) {
  const project = openEdit(options, console)
  const { normalise } = project.targets[0].assembly
  const [before, after] = [normalise(old), normalise(login)]
  if (before === after)
    throw editMisuse(
      `${inCode(old)} and ${inCode(login)} are the same account`,
      'Logins that differ in case only are one account here: there is nothing to rename.',
    )
  const newUses = usesInAll(project.targets, login)
  if (newUses.length > 0)
    throw editMisuse(
      `The manifests name ${inCode(login)} already`,
      'Take these out first: what both accounts have cannot become one.',
      placesOf(newUses),
    )
  const isGroup = project.targets.some(({ desired }) =>
    desired.some(({ kind, key }) => kind.provides === 'group' && key === before),
  )
  if (isGroup)
    throw editMisuse(
      `${inCode(old)} is a group: \`rename\` gives people a new login`,
      `Declare ${inCode(login)} beside it, write it in these places, then declare the old group \`absent: true\`.`,
      placesOf(usesInAll(project.targets, old)),
    )
  const { edits, isUnknown, isDeclared } = renameEdits(project.targets, old, login)
  if (isUnknown) throw unknownPerson(project, old)
  const edited = editProject(project, edits, ({ accounts }) => accounts.includes(before) || accounts.includes(after))
  refuseStillNamed(edited, old)
  const changed = edited.after.targets.flatMap((target, index) =>
    changedFields(project.targets[index] ?? target, before, target, after),
  )
  if (changed.length > 0)
    throw new OperatorError('SVC2301', `The new login would change ${fieldsOf(changed)}: nothing is written`, {
      hint: 'The login and that field share an anchor. Write one of the two out, and run the command again.',
    })
  const note = isDeclared
    ? 'The platform knows no renaming: an apply makes the new account, moves everything to it, and deletes the old one.'
    : `No manifest declares the account ${inCode(old)}: only what it is in has changed.`
  const whole = withExceptions(edited, (svcId) => normalise(svcId) === before, login)
  return finishEdit(whole, options, console, { notes: [note, ...mailNotes(edited, before, after)] })
}

const placesOf = (uses: readonly AccountUse[]): string[] =>
  uses.slice(0, 5).map(({ source, at }) => formatPlace(source.placeAt(at)))

const fieldsOf = (changed: readonly string[]): string => quoted([...new Set(changed)], ' and ')

/** Only the person knows if mail to the old address still arrives. */
function mailNotes({ after }: EditedProject, before: string, key: string): string[] {
  const [{ desired, assembly }] = after.targets
  return desired.flatMap((object) => {
    const { email } = object.spec
    if (object.key !== key || typeof email !== 'string' || assembly.normalise(email) !== before) return []
    return [`Still written: email ${email}  ${formatPlace(placeOfField(object, ['email']))}`]
  })
}
