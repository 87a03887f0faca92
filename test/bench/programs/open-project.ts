// Opens the project in the folder that its argument names, and what a second one names as its base: values, places,
// references, sets, and all checks between files, with the heap that the commands have: `validate` the one that Node
// gives, and those with a base a small one.

import { keepHeapSmall } from '../../../src/cli/v8-settings.ts'
import { placeIn } from '../../../src/core/model/declaration.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { openBase } from '../../../src/runs/open/open-base.ts'
import { checkProject, readProject } from '../../../src/runs/open/open-project.ts'

const cwd = process.argv[2] as string
const ref = process.argv[3]
const options = { cwd, env: {}, kinds, needCredentials: false, nowMs: Date.now() }
// In the order of a plan: what is read first, what is put together then.
const read = readProject(options)
if (ref !== undefined) keepHeapSmall()
const base = ref === undefined ? undefined : openBase({ ref }, read, options)
const { desired, declarations, problems, manifests } = checkProject(read)
const before = base && checkProject(base.read)
const [first] = problems
const last = declarations.at(-1)
if (first !== undefined || last === undefined) {
  process.stdout.write(`${problems.length} problems, the first: ${first?.message}\n`)
  process.exitCode = 1
} else {
  // The first place of a file is where its lines are counted.
  const { line } = placeIn(last, [])
  const then = before === undefined ? '' : `, ${before.desired.length} before`
  process.stdout.write(`${desired.length} objects, ${manifests.sets.size} sets, the last in line ${line}${then}\n`)
}
