// Loads the manifests in the folder that its argument names: values, places, references, sets, and the checks of files.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { placeIn } from '../../../src/core/declaration.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { loadManifests } from '../../../src/manifests/index.ts'
import { hugeVariables } from '../generate-manifests.ts'

const folder = process.argv[2] as string
const files = readdirSync(folder).map((file) => join(folder, file))
const options = { kinds, variables: hugeVariables, env: {}, projectDir: folder, displayBase: folder }
const { declarations, problems, sets } = loadManifests({ files, ...options })
const [first] = problems
const last = declarations.at(-1)
if (first !== undefined || last === undefined) {
  process.stdout.write(`${problems.length} problems, the first: ${first?.message}\n`)
  process.exitCode = 1
} else {
  // The first place of a file is where its lines are counted.
  const { line } = placeIn(last, [])
  process.stdout.write(`${declarations.length} objects, ${sets.size} sets, the last in line ${line}\n`)
}
