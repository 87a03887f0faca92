// Which kinds manifests declare, by their text: before they are parsed, which takes some fifty times as long.
import type { Kind } from '../core/model/kind.ts'

/**
 * In the order in which they come. Undefined: only parsing can tell, since something is written otherwise than in most manifests, or
 * since what an item says decides which kinds are looked at. Each kind that is given has an item, sound or not.
 */
export function kindsWritten(texts: Iterable<string>, kinds: readonly Kind[]): ReadonlySet<Kind> | undefined {
  const sections = kinds.flatMap((kind) => kind.sections.map((section) => ({ kind, ...section })))
  const atTop = new Map(sections.flatMap(({ kind, key, within }) => (within === undefined ? [[key, kind]] : [])))
  const nested = sections.flatMap(({ key, within }) => (within === undefined ? [] : [key]))
  const mayNest = new RegExp(`[ \\t{,"'](?:${nested.join('|')})["']?[ \\t]*:`)
  const found = new Set<Kind>()
  for (const text of texts) {
    if (nested.length > 0 && mayNest.test(text)) return undefined
    const withItems = new Set([...text.matchAll(sectionWithItems)].map(([, key = '']) => key))
    for (const [line] of text.matchAll(lineAtLeft)) {
      if (line.startsWith('- ') || /^---\s*$/.test(line)) continue
      const key = /^(\w+):(?:\s|$)/.exec(line)?.[1]
      if (key === undefined) return undefined
      const kind = atTop.get(key)
      if (kind === undefined) continue
      if (!withItems.has(key) || mayNameOthers(kind)) return undefined
      found.add(kind)
    }
  }
  return found
}

/** Lines that are no comments, and begin without a space. */
const lineAtLeft = /^[^\s#].*/gm

/** The key of a list, and the dash of its first item, on a line of its own. */
const sectionWithItems = /^(\w+):[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*- /gm

function mayNameOthers({ collections }: Kind): boolean {
  return Object.values(collections).some(({ about }) => about !== undefined && about !== 'company')
}
