// Which access a run needs: that of the kinds it looks at or writes, and no more.
import type { Declaration } from '../core/declaration.ts'
import type { Kind } from '../core/kind.ts'
import type { ScopeNeed } from '../core/platform-port.ts'
import type { Step } from '../core/step.ts'

/** What reading the declared objects takes: their kinds, those in which they are found, and those that are pruned. */
export function readNeeds(declarations: readonly Declaration[], pruned: readonly Kind[] = []): readonly ScopeNeed[] {
  const kinds = new Set<Kind>(pruned)
  for (const { kind, parent } of declarations) {
    kinds.add(kind)
    for (let outer = parent; outer !== undefined; outer = outer.parent) kinds.add(outer.kind)
  }
  return [...kinds].flatMap((kind) => kind.scopes.read)
}

/** What writing these steps takes. */
export function writeNeeds(steps: readonly Step[], kinds: ReadonlyMap<string, Kind>): readonly ScopeNeed[] {
  return [...new Set(steps.map(({ kind }) => kind))].flatMap((name) => kinds.get(name)?.scopes.write ?? [])
}
