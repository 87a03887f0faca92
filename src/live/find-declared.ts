// Which live objects a project declares already: what an export of the rest passes over.
import { addressKey, addressUnder, type FoldSvcId } from '../core/address.ts'
import type { Declaration } from '../core/declaration.ts'
import type { Desired } from '../core/desired.ts'
import type { Kind } from '../core/kind.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import { isFoundByName } from '../core/select-declarations.ts'
import type { Problem } from '../errors/index.ts'
import type { MetadataLists } from './metadata-lists.ts'
import { assembleByNames, type NamesOptions } from './observe.ts'

export type IsDeclared = (kind: Kind, address: string, name: string) => boolean

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
  const keys = new Set<string>()
  for (const object of [...plain, ...named.desired]) {
    const { kind, address, at, previously } = object
    const name = at.name ?? ''
    keys.add(keyOf(kind, address, name, fold))
    // Until the plan has renamed it, it is there under its old name.
    if (previously === undefined) continue
    keys.add(keyOf(kind, addressUnder(previously, address, name), previously, fold))
  }
  return { isDeclared: (kind, address, name) => keys.has(keyOf(kind, address, name, fold)), problems: named.problems }
}

/** An account can be declared once only, whichever kind it is of. */
function keyOf(kind: Kind, address: string, name: string, fold: FoldSvcId): string {
  return kind.provides === undefined ? addressKey(address, kind.comparesBy, fold) : `account ${fold(name)}`
}
