// Kinds by the access that an application has: what a test expects of scopes, whichever kinds there are.
import type { Kind } from '../../src/core/model/kind.ts'
import { kinds } from '../../src/kinds/index.ts'

/** Kinds that an application with these scopes may not read. */
export function kindsRefused(scopes: readonly string[]): readonly Kind[] {
  return kinds.filter((kind) => !kind.scopes.read.every(({ anyOf }) => anyOf.some((scope) => scopes.includes(scope))))
}
