// Lists of objects that several readers of a run share: each is read once.
import type { Kind, ListRequest, Location } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { type ListedParts, type ListSettings, readList } from './read-list.ts'

export interface ObjectLists {
  /** Whoever asks first has it read, with their settings. */
  read(port: PlatformPort, kind: Kind, at: Location, list: ListRequest, settings: ListSettings): Promise<ListedParts>
  isBegun(list: ListRequest): boolean
}

export function createObjectLists(): ObjectLists {
  const begun = new Map<string, Promise<ListedParts>>()
  return {
    read(port, kind, at, list, settings) {
      const known = begun.get(list.path)
      if (known !== undefined) return known
      const reading = readList(port, kind, at, list, settings)
      // Whoever waits for it hears of it; until then it must not end the process.
      reading.catch(() => undefined)
      begun.set(list.path, reading)
      return reading
    },
    isBegun: ({ path }) => begun.has(path),
  }
}
