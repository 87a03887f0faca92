// Merge keys: `<<: *defaults` takes over the entries of another mapping, as far as the own ones do not say otherwise.
import { EVENT_ID, type Event } from 'js-yaml'
import type { Building, Reading } from './reading.ts'

/** How many merges may hang on one another. */
const maxDepth = 10

/** Merges what was noted while the entries were read, and moves back behind them. */
export function mergeInto(walk: Reading, building: Building, depth: number): void {
  const back = walk.index
  const merges = building.merges ?? []
  building.merges = undefined
  for (const index of merges) mergeFrom(walk, building, index, depth)
  walk.index = back
}

/** Merges the mapping, the alias of one, or the list of such, at `index`. */
function mergeFrom(walk: Reading, building: Building, index: number, depth: number): void {
  const event = walk.events[index] as Event
  const at = walk.startAt(index, building.start)
  if (depth >= maxDepth) {
    walk.report('SVC1005', `More than ${maxDepth} merges hang on one another`, at, 'Write the values out.')
  } else if (event.type === EVENT_ID.MAPPING) {
    walk.index = index + 1
    walk.readMerged(building, depth + 1)
  } else if (event.type === EVENT_ID.ALIAS) {
    const anchored = walk.follow(index, at)
    if (anchored !== undefined) mergeFrom(walk, building, anchored.index, depth)
  } else if (event.type === EVENT_ID.SEQUENCE) {
    mergeList(walk, building, index, depth)
  } else {
    notMergeable(walk, at)
  }
}

function mergeList(walk: Reading, building: Building, index: number, depth: number): void {
  let each = index + 1
  for (;;) {
    const { type } = walk.events[each] as Event
    if (type === EVENT_ID.POP) return
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.ALIAS) mergeFrom(walk, building, each, depth)
    else notMergeable(walk, walk.startAt(each, building.start))
    each = walk.skipFrom(each)
  }
}

function notMergeable(walk: Reading, at: number): void {
  walk.report('SVC1005', 'Only mappings can be merged', at, 'Give `<<` an alias of a mapping.')
}
