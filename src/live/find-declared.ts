// Which live objects a project declares already: what an export of the rest passes over.
import type { Declaration } from '../core/declaration.ts'
import { declaredTest, type IsDeclared } from '../core/declared-test.ts'
import type { Desired } from '../core/desired.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import { isFoundByName } from '../core/select-declarations.ts'
import type { Problem } from '../errors/index.ts'
import type { MetadataLists } from './metadata-lists.ts'
import { assembleByNames, type NamesOptions } from './observe.ts'

export interface Declared {
  readonly isDeclared: IsDeclared
  /** Of names that lead nowhere. */
  readonly problems: readonly Problem[]
}

/** `asWritten`: the objects put together without the platform. Rejects with what concerns the whole run. */
export async function findDeclared(
  port: PlatformPort,
  declarations: readonly Declaration[],
  asWritten: readonly Desired[],
  options: NamesOptions,
  lists: MetadataLists,
): Promise<Declared> {
  const { fold } = options
  const named = await assembleByNames(port, declarations.filter(isFoundByName), options, lists)
  const plain = asWritten.filter(({ declarations: [first] }) => !isFoundByName(first))
  return { isDeclared: declaredTest([...plain, ...named.desired], fold), problems: named.problems }
}
