// Reads, validates and plans the manifests in the folder that its argument names, against a platform that has nothing.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asWrittenDirectory } from '../../../src/core/assemble/as-written-directory.ts'
import { assembleDesired } from '../../../src/core/assemble/assemble-desired.ts'
import { normaliserOf } from '../../../src/core/model/address.ts'
import { makePlan } from '../../../src/core/plan/plan.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { loadManifests } from '../../../src/manifests/load-manifests.ts'

const folder = process.argv[2] as string
const files = readdirSync(folder).map((file) => join(folder, file))
const loaded = loadManifests({ files, kinds, variables: {}, env: {}, projectDir: folder, displayBase: folder })
const directory = asWrittenDirectory({ main: 1 }, kinds)
const { desired, problems } = assembleDesired(loaded.declarations, directory, {
  normalise: normaliserOf('ignore-case'),
  collections: 'exclusive',
  ends: new Map(),
  sets: new Map(),
  time: { nowMs: Date.now(), timeZone: 'UTC' },
})
const nothing = { objects: new Map(), unreadable: new Map(), accounts: new Set<string>(), totals: new Map() }
const plan = makePlan(desired, nothing)
const found = [...loaded.problems, ...problems, ...plan.problems]
const [first] = found
if (first !== undefined) {
  process.stdout.write(`${found.length} problems, the first: ${first.message}\n`)
  process.exitCode = 1
} else {
  process.stdout.write(`${plan.changes.length} objects ${plan.steps.length} steps\n`)
}
