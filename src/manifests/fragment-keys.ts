// Keys that stand twice inside a fragment (`x-…`): where a merge takes it, the second of them would be lost without a word.
import { EVENT_ID, type Event } from 'js-yaml'
import type { Reading } from './reading.ts'

/** A mapping or list on the way down. `keys`: of a mapping, key → offset; `atKey`: a key comes next. */
interface Open {
  readonly keys: Map<string, number> | undefined
  atKey: boolean
}

/** Calls `report` with each key that its mapping has already, and both offsets; the node begins at `index`. */
export function eachRepeatedKey(
  walk: Pick<Reading, 'events' | 'decode' | 'startAt'>,
  index: number,
  report: (name: string, at: number, first: number) => void,
): void {
  const open: Open[] = []
  do {
    const event = walk.events[index] as Event
    if (event.type === EVENT_ID.POP) open.pop()
    else {
      const holder = open.at(-1)
      if (holder?.keys !== undefined) {
        if (holder.atKey && event.type === EVENT_ID.SCALAR) {
          const [name, at] = [walk.decode(event), walk.startAt(index, 0)]
          const first = holder.keys.get(name)
          if (first === undefined) holder.keys.set(name, at)
          // Several `<<` are read one after the other, as elsewhere.
          else if (name !== '<<') report(name, at, first)
        }
        holder.atKey = !holder.atKey
      }
      if (event.type === EVENT_ID.MAPPING) open.push({ keys: new Map(), atKey: true })
      else if (event.type === EVENT_ID.SEQUENCE) open.push({ keys: undefined, atKey: false })
    }
    index++
  } while (open.length > 0)
}
