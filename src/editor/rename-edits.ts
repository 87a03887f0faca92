// A new login in every place: the account with it is another one, and the old one is let go of.
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { replaceEntry } from './leave-edits.ts'
import { isOverride, itemAt, type SourceEdit, type TargetState, usesInAll } from './uses.ts'

export function renameEdits(targets: readonly TargetState[], old: string, login: string) {
  const uses = usesInAll(targets, old)
  const edits: SourceEdit[] = []
  const left = new Map<string, SourceEdit>()
  const leave = (declaration: Declaration, value: JsonObject): void => {
    if (isOverride(targets, declaration)) return
    const at = itemAt(declaration)
    const { source } = declaration
    left.set(`${source.file} ${at}`, { source, edit: { edit: 'add-beside', at, value, wide: true } })
  }
  let isDeclared = false
  for (const use of uses) {
    if (use.is === 'entry') {
      edits.push(replaceEntry(use, login))
      continue
    }
    const { declaration, source } = use
    const { kind, section, item } = declaration
    const key = use.is === 'field' ? use.field : section.identity
    edits.push({ source, edit: { edit: 'set-field', at: itemAt(declaration), key, value: login } })
    if (use.is === 'field') {
      // With another person it is another substitution.
      const { fields = [] } = kind.key ?? {}
      if (standIn.of(kind) !== undefined && item.absent !== true)
        leave(declaration, { ...Object.fromEntries(fields.map((field) => [field, item[field]])), absent: true })
    } else if (kind.provides === undefined) {
      const lists = fieldsOf(section).collections.map(({ field }) => [field, []] as const)
      leave(declaration, { [section.identity]: old, ...Object.fromEntries(lists) })
    } else if (!section.partial) {
      isDeclared = true
      if (!isOverride(targets, declaration))
        edits.push({ source, edit: { edit: 'set-field', at: itemAt(declaration), key: 'replaces', value: old } })
      leave(declaration, { [section.identity]: old, absent: true })
    }
  }
  return { edits: [...edits, ...left.values()], isUnknown: uses.length === 0, isDeclared }
}
