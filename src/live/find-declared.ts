// Which live objects a project declares already: what an export of the rest passes over.

import { declaredTest, type IsDeclared } from '../core/assemble/declared-test.ts'
import { isFoundByName } from '../core/assemble/select-declarations.ts'
import type { Declaration } from '../core/model/declaration.ts'
import type { Desired } from '../core/model/desired.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import type { Problem } from '../errors/index.ts'
import type { MetadataLists } from './metadata-lists.ts'
import { assembleByNames, type NamesOptions } from './observe.ts'

interface Declared {
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
