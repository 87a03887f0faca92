// Removes or renames a person in the file of exceptions: an exception about nobody would be an error.
import type { TextEdit } from './edit-text.ts'
import { readSyntax, type SyntaxNode } from './syntax-tree.ts'

type MappingNode = Extract<SyntaxNode, { type: 'mapping' }>

/** `login`: the new one; undefined: removes the person's exceptions. It does not change files that do not parse. */
export function exceptionEdits(
  text: string,
  isPerson: (svcId: string) => boolean,
  login: string | undefined,
): TextEdit[] {
  const tree = readSyntax(text)
  const lists = [...(tree?.byKey.values() ?? [])].flatMap(({ key, value, holder }) =>
    key.type === 'scalar' && key.value === 'exceptions' && holder.parent === undefined && value.type === 'list'
      ? [value]
      : [],
  )
  return lists.flatMap(({ items }) =>
    items.flatMap((item): TextEdit[] => {
      const named = item.type === 'mapping' ? personFieldsOf(item, isPerson) : []
      if (named.length === 0) return []
      if (login === undefined) return [{ edit: 'remove-entry', at: item.content }]
      return named.map(({ at, key, prefix }) => ({ edit: 'set-field', at, key, value: `${prefix}${login}` }))
    }),
  )
}

interface PersonField {
  readonly at: number
  readonly key: string
  readonly prefix: string
}

function personFieldsOf(item: MappingNode, isPerson: (svcId: string) => boolean): PersonField[] {
  const access = fieldOf(item, 'access')
  return [item, ...(access?.type === 'mapping' ? [access] : [])].flatMap((mapping) =>
    ['person', 'entry', 'address'].flatMap((key): PersonField[] => {
      const field = fieldOf(mapping, key)
      if (field?.type !== 'scalar') return []
      const prefix = key === 'address' ? (/^(?:user|license)\//.exec(field.value)?.[0] ?? undefined) : ''
      if (prefix === undefined || !isPerson(field.value.slice(prefix.length))) return []
      return [{ at: mapping.content, key, prefix }]
    }),
  )
}

function fieldOf({ pairs }: MappingNode, name: string): SyntaxNode | undefined {
  return pairs.find(({ key }) => key.type === 'scalar' && key.value === name)?.value
}
