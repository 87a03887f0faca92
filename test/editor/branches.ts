// Every place of a language at which a key can be written, from its published schema: each with a text that leads
// there.
import { isMap, isSeq, parseDocument, stringify } from 'yaml'

/** A part of a published schema. */
export interface Node {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly markdownDescription?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly oneOf?: readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

export interface Branch {
  readonly path: string
  readonly node: Node
  /** Keys that must stand there already. */
  readonly present: readonly string[]
  /** The text around: what is given stands in the branch, behind what must be there. */
  textWith(content: Readonly<Record<string, unknown>>): string
}

/** Marks the cursor in a text. */
export const cursor = '¦'

type Wrap = (content: unknown) => unknown

/** Branches of one set of keys are given once: the first. */
export function branchesOf(schema: Node): readonly Branch[] {
  const branches = new Map<string, Branch>()
  const visit = (node: Node, path: string, wrap: Wrap): void => {
    if (node.properties !== undefined) {
      const { properties } = node
      const needed = [
        ...(node.required ?? []),
        ...(node.oneOf?.slice(0, 1).flatMap(({ required = [] }) => required) ?? []),
      ]
      const base = Object.fromEntries(needed.map((key) => [key, valueFor(properties[key] ?? {})]))
      const signature = Object.keys(properties).join()
      if (!branches.has(signature)) {
        branches.set(signature, {
          path,
          node,
          present: needed,
          textWith: (content) => stringify(wrap({ ...base, ...content })).replace(`${cursor}: null`, cursor),
        })
      }
      for (const [key, property] of Object.entries(properties)) {
        visit(property, `${path}/${key}`, (content) => wrap({ ...base, [key]: content }))
      }
    }
    const { items, additionalProperties: values, anyOf = [] } = node
    if (items !== undefined) visit(items, `${path}/*`, (content) => wrap([content]))
    if (typeof values === 'object') visit(values, `${path}/*`, (content) => wrap({ name: content }))
    for (const each of anyOf) visit(each, path, wrap)
  }
  visit(schema, '', (content) => content)
  return [...branches.values()]
}

/** A value that the schema takes. */
export function valueFor({ examples = [], enum: values = [] }: Node): unknown {
  return examples[0] ?? values[0] ?? 'x'
}

/**
 * Where the key stands in a text to which `path` leads: `*` is the first of a list, or the one name that a text has.
 */
export function offsetOfKey(text: string, path: string): number {
  let node: unknown = parseDocument(text).contents
  let offset = 0
  for (const step of path.split('/').slice(1)) {
    if (isSeq(node)) node = node.items[0]
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => step === '*' || String(key) === step)
      offset = (pair?.key as { readonly range?: readonly number[] } | undefined)?.range?.[0] ?? 0
      node = pair?.value
    }
  }
  return offset
}
