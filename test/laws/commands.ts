// Commands that edit manifests, applied to a case of the law of applying: the real editor on the real files, read back
// as data.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { hireEdits } from '../../src/editor/hire-edits.ts'
import { leaveEdits } from '../../src/editor/leave-edits.ts'
import { renameEdits } from '../../src/editor/rename-edits.ts'
import type { SourceEdit, TargetState } from '../../src/editor/uses.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { acceptable, editAccepted } from '../../src/runs/edit/accept-run.ts'
import { openForEdit } from '../../src/runs/edit/open-for-edit.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { editManifests } from '../harness/people.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { ApplyCase } from './apply-cases.ts'
import type { Fields, Item } from './world.ts'

export interface Command {
  readonly what: 'leave' | 'rename' | 'hire' | 'end' | 'accept'
  /** By their places among the declared users. */
  readonly person: number
  readonly other: number
}

export const commands: fc.Arbitrary<Command> = fc.record({
  what: fc.constantFrom('leave', 'rename', 'hire', 'end', 'accept'),
  person: fc.nat({ max: 9 }),
  other: fc.nat({ max: 9 }),
})

export interface AfterCommand {
  readonly given: ApplyCase
  /** The account that must be gone after the apply. */
  readonly gone?: string
}

/** Over at the clock of the laws. */
const lastDay = '2025-12-20'
const joins = 'joins@example.com'

/**
 * The case with the manifests after the command; `expected`: what they come to then, where time says it. As it is where
 * nobody is declared, or the editor refuses. `prepared`: the workspace holds the manifests of the case.
 */
export async function afterCommand(
  workspace: Workspace,
  given: ApplyCase,
  command: Command,
): Promise<AfterCommand | undefined> {
  const users = given.items
    .filter(({ section, item }) => section === 'users' && item.absent !== true)
    .map(({ item }) => String(item.svcId))
  if (users.length === 0 && command.what !== 'accept') return undefined
  const [person = '', other = ''] = [command.person, command.other].map((at) => users[at % users.length])
  if (command.what === 'end') {
    const after = ended(given, person)
    return after && { given: after, gone: person }
  }
  try {
    // The rest may name the removed object, which no platform could hold.
    if (command.what === 'accept') {
      if (!(await acceptAll(workspace))) return undefined
    } else {
      const edits = editsOf(command.what, person, other)
      if (!editManifests(workspace, edits)) return undefined
    }
  } catch (error) {
    if (error instanceof SvcsyncError) return undefined
    throw error
  }
  // While a new login lacks its licence, the old account stays.
  const live = command.what === 'rename' ? { ...given.live, spare: undefined } : given.live
  const [items, overrides] = [itemsIn(workspace, 'manifests'), itemsIn(workspace, 'overrides')]
  if (command.what === 'hire') {
    // Owners are appointed.
    const lists = (svcId: string) =>
      items.flatMap((each) => listsOf(each, svcId)).filter((path) => !path.endsWith('owners'))
    expect(lists(joins)).toEqual(expect.arrayContaining(lists(person)))
  }
  const leaves = command.what === 'leave' || command.what === 'rename'
  return { given: { ...given, live, items, overrides }, ...(leaves && { gone: person }) }
}

function editsOf(what: 'leave' | 'rename' | 'hire', person: string, other: string) {
  return (targets: readonly TargetState[]): readonly SourceEdit[] => {
    if (what === 'rename') return renameEdits(targets, person, joins).edits
    if (what === 'hire') {
      const hire = { person: joins, like: person, name: 'Joins', administers: true, entriesEnd: false }
      return hireEdits(targets, hire).edits
    }
    const { edits, vacancies } = leaveEdits(targets, person, other === person ? undefined : other)
    return vacancies.length > 0 ? [] : edits
  }
}

/** False: some of it was refused. */
async function acceptAll(workspace: Workspace): Promise<boolean> {
  const { dir, env } = workspace
  const planned = await workspace.plan()
  const nowMs = Date.parse('2026-01-01T00:00:00Z')
  const project = openForEdit({
    project: join(dir, 'svcsync.yaml'),
    cwd: dir,
    env,
    kinds,
    needCredentials: false,
    nowMs,
  })
  const client = connect(workspace.open().project, { version: 'test', env: {} })
  try {
    const { edited, refused } = editAccepted(project, await acceptable(planned, project, client, []))
    for (const { path, after } of edited?.files ?? []) writeFileSync(path, after)
    return refused.length === 0
  } finally {
    await client.close()
  }
}

/** The lists of an item that name somebody, each by its path. */
function listsOf({ section, item }: Item, svcId: string): string[] {
  const visit = (value: unknown, path: string): string[] => {
    if (Array.isArray(value)) {
      const isNamed = value.some((each) => each === svcId || (each as Fields)?.svcId === svcId)
      return [...(isNamed ? [path] : []), ...value.flatMap((each, index) => visit(each, `${path} ${index}`))]
    }
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, part]) => visit(part, `${path} ${key}`))
  }
  const name = item.svcId ?? item.group ?? item.application ?? item.process ?? item.element ?? ''
  return section === 'substitutions' ? [] : visit({ ...item, manage: undefined }, `${section} ${String(name)}`)
}

function itemsIn({ dir }: Workspace, folder: string): Item[] {
  const path = join(dir, folder)
  let files: string[] = []
  try {
    files = readdirSync(path).sort()
  } catch {
    return []
  }
  return files.flatMap((file) => {
    const { database: _, ...sections } = (parse(readFileSync(join(path, file), 'utf8')) ?? {}) as Record<
      string,
      Fields[]
    >
    return Object.entries(sections).flatMap(([section, items]) =>
      (items ?? []).map((item) => ({
        section: section as Item['section'],
        item: asWritten(section, unescaped(item) as Fields),
      })),
    )
  })
}

/** As the world has them: with all that a substitution has. */
function asWritten(section: string, item: Fields): Fields {
  return section === 'substitutions' ? { applications: [], to: item.from, ...item } : item
}

function unescaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('$${', '${')
  if (Array.isArray(value)) return value.map(unescaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      // Days stand as the world has them.
      const isDay = (key === 'from' || key === 'to') && typeof part === 'string'
      return [key, isDay ? part.slice(0, 10) : unescaped(part)]
    }),
  )
}

/** The account ends with a past day. Managers of others have no end. */
function ended(given: ApplyCase, person: string): ApplyCase | undefined {
  const isManager = [...given.items, ...given.overrides].some(({ item }) => item.managerSvcId === person)
  if (isManager) return undefined
  const isOwn = ({ section, item }: Item): boolean => section === 'users' && item.svcId === person
  const items = given.items.map((each) => (isOwn(each) ? { ...each, item: { ...each.item, until: lastDay } } : each))
  const asOver = (each: Item): Item => {
    const { section, item } = each
    if (isOwn(each)) return { section, item: { svcId: person, absent: true } }
    if (section === 'licenses' && item.svcId === person) return { section, item: { ...item, licenses: [] } }
    if (section === 'substitutions' && [item.person, item.substitute].includes(person))
      return { section, item: { ...item, absent: true } }
    return { section, item: without(person, item) as Fields }
  }
  return { ...given, items, expected: { items: given.items.map(asOver), overrides: given.overrides.map(asOver) } }
}

function without(person: string, value: unknown): unknown {
  if (Array.isArray(value))
    return value.flatMap((each) =>
      each === person || (each as Fields)?.svcId === person ? [] : [without(person, each)],
    )
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, without(person, part)]))
}
