// Who can do what before and after, and the difference, for 10,000 people, 2,000 groups in groups and 5,000 privileges;
// with `without` as its argument only what a plan would have anyway. Prints milliseconds, and what came of it.
import { accessDifference } from '../../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../../src/core/access/access-graph.ts'
import { countAccess, describeAccess } from '../../../src/core/access/describe-access.ts'
import { accessChanges, type Holding, type Side } from '../../harness/access-sides.ts'

const people = Array.from({ length: 10_000 }, (_, index) => `user-${index}@example.com`)
const names = Array.from({ length: 2000 }, (_, index) => `group-${index}@example.com`)
const levels = ['Start', 'Modify', 'ReadOnly', 'Administrator']
const after: Side = {
  users: people,
  groups: Object.fromEntries(
    names.map((name, index) => {
      const members = Array.from(
        { length: 25 },
        (_, each) => people[(index * 37 + each * 401) % people.length] as string,
      )
      return [name, [...members, ...names.slice(index * 2 + 1, index * 2 + 3)]]
    }),
  ),
  holdings: Array.from({ length: 5000 }, (_, index): Holding => {
    const address = `process/main/Application/Process ${index % 100}`
    return {
      svcId: names[(index * 7) % names.length] as string,
      address,
      level: levels[(index + Math.floor(index / 2000)) % 4],
      company: null,
    }
  }),
}
// Everything is new: the most that there can be to say.
const changes = accessChanges({ users: [], groups: {}, holdings: [] }, after)
const startedMs = performance.now()
let told = changes.length
if (process.argv[2] !== 'without') {
  const graph = accessGraphOf(changes)
  told = countAccess(describeAccess(graph, accessDifference(graph), 'declared', {}), 'gained')
}
process.stdout.write(`${performance.now() - startedMs} ${told}\n`)
