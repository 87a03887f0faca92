// Removes a person who leaves from the project: out of every list, licences released, the account absent.
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Desired, DesiredElement } from '@svcsync/core/model/desired.ts'
import { subjectKey } from '@svcsync/core/model/elements.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { offsetAt, offsetOf, type Source } from '@svcsync/core/model/source.ts'
import { type AccountUse, entryAt, isOverride, itemAt, type SourceEdit, type TargetState, usesInAll } from './uses.ts'

/** A place at which somebody has to come after the one who leaves. */
interface Vacancy {
  readonly source: Source
  readonly at: number
  readonly what: string
  readonly targets: readonly string[]
}

/** `vacancies`: none where a successor is named. `isDeclared`: the account is deleted. */
export function leaveEdits(targets: readonly TargetState[], person: string, successor: string | undefined) {
  const uses = usesInAll(targets, person)
  const alone = administeredAlone(targets, person)
  const isLast = new Set(alone.map(({ element }) => `${element.declaration.source.file} ${entryAt(element)}`))
  const items = new ItemEdits(targets)
  const kept = uses.flatMap((use): SourceEdit[] => {
    if (use.is === 'field') return [replaceInField(use, targets, successor)]
    if (use.is === 'entry') {
      const replaces = successor !== undefined && isLast.has(`${use.source.file} ${use.at}`)
      if (replaces) return [replaceEntry(use, successor)]
      return [{ source: use.source, edit: { edit: 'remove-entry', at: use.at } }]
    }
    items.add(use.declaration)
    return []
  })
  const fields = uses.filter((use) => use.is === 'field').filter((use) => !isStandIn(use))
  const succession = successor === undefined ? [] : alone.flatMap((each) => addSuccessor(each, successor))
  return {
    edits: [...succession, ...kept, ...items.edits()],
    vacancies: successor === undefined ? [...alone.map(vacancyOf), ...fields.map(vacancyOfField)] : [],
    isUnknown: uses.length === 0,
    isDeclared: items.isDeclared,
  }
}

type SoleAdministration = ReturnType<typeof administeredAlone>[number]

function vacancyOf({ object, element, targets }: SoleAdministration): Vacancy {
  const { level = 'owner' } = object.kind.administeredBy ?? {}
  return {
    ...{ targets, source: element.declaration.source, at: entryAt(element) },
    what: `the only ${level} of ${object.address}`,
  }
}

/** A set may be in other lists: the successor comes into this one. */
function addSuccessor({ element }: SoleAdministration, successor: string): SourceEdit[] {
  if (element.set === undefined) return []
  const { source, item } = element.declaration
  const at = offsetOf(source, listOf(item[element.field], element.path), 0) ?? 0
  return [{ source, edit: { edit: 'add-entry', at, value: successor } }]
}

const isStandIn = ({ declaration }: AccountUse<'field'>): boolean => standIn.of(declaration.kind) !== undefined

const vacancyOfField = ({
  source,
  at,
  field,
  declaration,
  targets,
}: AccountUse<'field'> & Pick<Vacancy, 'targets'>): Vacancy => ({
  ...{ targets, source, at, what: `${field} of ${declaration.kind.name} ${nameOf(declaration)}` },
})

/** A substitute is no manager, so the substitution goes. */
function replaceInField(
  use: AccountUse<'field'>,
  targets: readonly TargetState[],
  successor: string | undefined,
): SourceEdit {
  const { source, declaration, field } = use
  const set = isStandIn(use)
    ? { key: 'absent', value: true }
    : { key: field, value: managerAfter(targets, declaration, successor) }
  return { source, edit: { edit: 'set-field', at: itemAt(declaration), ...set } }
}

/** Nobody is their own manager. */
function managerAfter([first]: readonly TargetState[], declaration: Declaration, successor: string | undefined) {
  const normalise = first?.assembly.normalise ?? String
  return successor === undefined || normalise(nameOf(declaration)) === normalise(successor) ? null : successor
}

function nameOf({ item, section }: Declaration): string {
  return String(item[section.identity])
}

/** With what the entry says besides: bounds in time, a business entity. */
export function replaceEntry({ source, at, value }: AccountUse<'entry'>, svcId: string): SourceEdit {
  if (!isJsonObject(value)) return { source, edit: { edit: 'set-entry', at, value: svcId } }
  return { source, edit: { edit: 'set-field', at: offsetOf(source, value, 0) ?? at, key: 'svcId', value: svcId } }
}

function listOf(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.slice(0, -1).reduce<Json | undefined>((here, key) => (isJsonObject(here) ? here[key] : undefined), value)
}

/** The declarations of a person: the account once, the licences once; the others are removed. */
class ItemEdits {
  readonly #targets: readonly TargetState[]
  readonly #accounts: Declaration[] = []
  readonly #holdings: Declaration[] = []

  constructor(targets: readonly TargetState[]) {
    this.#targets = targets
  }

  get isDeclared(): boolean {
    return this.#accounts.length > 0
  }

  add(declaration: Declaration): void {
    const { section, kind } = declaration
    if (kind.provides === undefined) this.#holdings.push(declaration)
    else if (!section.partial) this.#accounts.push(declaration)
  }

  edits(): SourceEdit[] {
    return [...this.#of(this.#accounts, declareAbsent), ...this.#of(this.#holdings, declareEmpty)]
  }

  #of(declarations: readonly Declaration[], write: (declaration: Declaration) => SourceEdit[]): SourceEdit[] {
    const own = declarations.filter((each) => !isOverride(this.#targets, each))
    return declarations.flatMap((each) => {
      if (each === own[0]) return write(each)
      return [{ source: each.source, edit: { edit: 'remove-entry' as const, at: itemAt(each) } }]
    })
  }
}

function declareAbsent(declaration: Declaration): SourceEdit[] {
  const { source, section } = declaration
  const at = itemAt(declaration)
  return [
    { source, edit: { edit: 'keep-fields', at, keys: [section.identity] } },
    { source, edit: { edit: 'set-field', at, key: 'absent', value: true } },
  ]
}

function declareEmpty(declaration: Declaration): SourceEdit[] {
  const { source, item, section } = declaration
  const at = offsetAt(source, item, [])
  const lists = fieldsOf(section).collections.map(({ field }) => field)
  return [
    { source, edit: { edit: 'keep-fields', at, keys: [section.identity, ...lists] } },
    ...lists.map((key): SourceEdit => ({ source, edit: { edit: 'set-field', at, key, value: [] } })),
  ]
}

/** Lists in which nobody else administers: an object, and the entry of the account. By place, of all targets. */
function administeredAlone(
  targets: readonly TargetState[],
  svcId: string,
): { readonly object: Desired; readonly element: DesiredElement; readonly targets: readonly string[] }[] {
  const found = new Map<string, { object: Desired; element: DesiredElement; targets: string[] }>()
  for (const { desired, assembly, project } of targets) {
    const key = assembly.normalise(svcId)
    for (const object of desired) {
      const { collection = '', level } = object.kind.administeredBy ?? {}
      const list = object.collections[collection]
      if (list === undefined || object.absent) continue
      const own = [...list.elements.values()].filter(({ element }) => element.level === level)
      const mine = own.filter(({ element }) => subjectKey(element) === key)
      if (mine.length === 0 || mine.length < own.length) continue
      for (const element of mine) {
        const place = `${element.declaration.source.file} ${entryAt(element)}`
        getOrInsert(found, place, () => ({ object, element, targets: [] })).targets.push(project.targetName)
      }
    }
  }
  return [...found.values()]
}
