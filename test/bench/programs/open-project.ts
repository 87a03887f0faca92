// Opens the project in the folder that its argument names: values, places, references, sets, and all checks between files,
// with the heap that `svcsync validate` has: the one that Node gives.
import { placeIn } from '../../../src/core/model/declaration.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { openProject } from '../../../src/runs/open/open-project.ts'

const cwd = process.argv[2] as string
const { desired, declarations, problems, manifests } = openProject({
  cwd,
  env: {},
  kinds,
  needCredentials: false,
  nowMs: Date.now(),
})
const [first] = problems
const last = declarations.at(-1)
if (first !== undefined || last === undefined) {
  process.stdout.write(`${problems.length} problems, the first: ${first?.message}\n`)
  process.exitCode = 1
} else {
  // The first place of a file is where its lines are counted.
  const { line } = placeIn(last, [])
  process.stdout.write(`${desired.length} objects, ${manifests.sets.size} sets, the last in line ${line}\n`)
}
