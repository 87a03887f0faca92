// Starts a kind: `npm run new-kind -- my-kind` writes src/kinds/my-kind, and generates what follows from the kinds.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { filesOf, namesOf } from './new-kind/template.ts'

const [folder = '', ...rest] = process.argv.slice(2)
const names = namesOf(folder)
if (names === undefined || rest.length > 0) {
  console.error('Usage: npm run new-kind -- my-kind\nA name is lower-case letters, digits and hyphens, in singular.')
  process.exit(1)
}
const dir = `src/kinds/${names.folder}`
if (existsSync(dir)) {
  console.error(`${dir} is there already.`)
  process.exit(1)
}
for (const [file, source] of Object.entries(filesOf(names))) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, source)
  console.log(`wrote ${file}`)
}
// A process of its own: the registry that it loads has to hold the new folder.
const generated = spawnSync(process.execPath, [...process.execArgv, 'scripts/generate.ts'], { stdio: 'inherit' })
if (generated.status !== 0) process.exit(generated.status ?? 1)
console.log(`
Next:
  1. Answer every TODO in ${dir}.
  2. Teach the emulator its endpoints: src/emulator/routes, src/emulator/state, docs/emulator.md.
  3. Run test/contract, which takes it through its life, and test/scenarios with UPDATE_SCENARIOS=1; read what it wrote.
  4. Describe it in docs/manifests.md and docs/permissions.md.
docs/writing-a-kind.md says more.`)
