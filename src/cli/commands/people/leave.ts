// `svcsync leave`: out of every list, licences released, the account absent.

import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { DeclaredFact } from '@svcsync/editor/facts.ts'
import { leaveEdits } from '@svcsync/editor/leave-edits.ts'
import { additiveListsOf, itemAt, usesInAll } from '@svcsync/editor/uses.ts'
import { formatPlace, inCode } from '@svcsync/errors/index.ts'
import { editProject, withExceptions } from '@svcsync/runs/edit/edit-project.ts'
import type { Values } from '../../program/command.ts'
import type { Console } from '../../terminal/console.ts'
import type { leave } from '../people.ts'
import { editMisuse, finishEdit, openEdit, refuseStillNamed, unknownPerson, whereOf } from './edit-for-command.ts'

export async function leaveCommand(options: Values<typeof leave>, console: Console, { person }: { person: string }) {
  const { successor } = options
  const project = openEdit(options, console)
  const { normalise } = project.targets[0].assembly
  const [leaver, next] = [normalise(person), successor && normalise(successor)]
  if (leaver === next) throw editMisuse(`${inCode(person)} cannot be their own successor`, 'Name somebody else.')
  const { edits, vacancies, isUnknown, isDeclared } = leaveEdits(project.targets, person, successor)
  if (isUnknown)
    throw unknownPerson(project, person, 'To delete an account that no manifest names, declare it `absent: true`.')
  if (vacancies.length > 0)
    throw editMisuse(
      `${inCode(person)} leaves places that somebody has to take`,
      'Name who takes them: `--successor SVCID`. For different people, edit these places first.',
      vacancies.map(
        ({ source, at, what, targets }) => `${formatPlace(source.placeAt(at))}  ${what}${whereOf(targets, project)}`,
      ),
    )
  const edited = editProject(
    project,
    edits,
    (fact) => fact.accounts.includes(leaver) || (next !== undefined && isSuccession(fact, next)),
  )
  refuseStillNamed(edited, person)
  const kept = usesInAll(edited.after.targets, person).map((use) => {
    const { source, at, declaration } = use
    return formatPlace(source.placeAt(declaration === undefined ? at : itemAt(declaration)))
  })
  const notes = isDeclared
    ? [
        'The account is declared absent: the next apply deletes it, if it is still there.',
        'When every target has applied that, ' +
          `remove the entries of ${inCode(person)} together: ${[...new Set(kept)].join(', ')}.`,
      ]
    : [`No manifest declares the account ${inCode(person)}: svcsync does not delete it.`]
  const whole = withExceptions(edited, (svcId) => normalise(svcId) === leaver, undefined)
  const additive = isDeclared ? [] : additiveListsOf(project.targets, leaver)
  let left: readonly string[] = additive.map(formatList)
  return finishEdit(whole, options, console, {
    // A base tells the plan that the entry was declared.
    check: ({ document }) => {
      left = additive
        .filter((list) => !removesMember(document, list, (svcId) => normalise(svcId) === leaver))
        .map(formatList)
    },
    notes: () =>
      left.length === 0 ? notes : [...notes, `An additive list keeps it on the platform: ${left.join(', ')}.`, byHand],
  })
}

const byHand = 'Take it out there by hand, if it is to lose what the list gives.'

type AdditiveList = ReturnType<typeof additiveListsOf>[number]

const formatList = ({ address, collection }: AdditiveList): string => `${collection} of ${inCode(address)}`

function removesMember({ changes }: PlanDocument, list: AdditiveList, isGone: (svcId: string) => boolean): boolean {
  return changes.some(
    ({ address, differences }) =>
      address === list.address &&
      differences.some(
        ({ path, removed = [] }) =>
          path === list.collection && removed.some(({ svcId }) => svcId !== undefined && isGone(svcId)),
      ),
  )
}

/** Into lists, and as a manager; only a field that named who leaves may change in the successor's own object. */
const isSuccession = ({ accounts, about, value }: DeclaredFact, next: string): boolean =>
  accounts.includes(next) && (!about.includes(next) || value === 'null')
