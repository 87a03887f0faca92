// Starts a kind: `npm run new-kind -- my-kind` writes src/kinds/my-kind, and generates what follows from the kinds.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { indexSource, namesOf, samplesSource } from './new-kind/template.ts'

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
mkdirSync(dir)
for (const [file, source] of [
  ['index.ts', indexSource(names)],
  ['samples.ts', samplesSource(names)],
] as const) {
  writeFileSync(`${dir}/${file}`, source)
  console.log(`wrote ${dir}/${file}`)
}
// A process of its own: the registry that it loads has to hold the new folder.
const generated = spawnSync(process.execPath, [...process.execArgv, 'scripts/generate.ts'], { stdio: 'inherit' })
if (generated.status !== 0) process.exit(generated.status ?? 1)
console.log(`
Next:
  1. Answer every TODO in ${dir}.
  2. Teach the emulator its endpoints: src/emulator/routes, src/emulator/state, docs/emulator.md.
  3. Give test/harness/sample-tenant.ts what its samples refer to; test/contract then takes it through its life.
  4. Describe it in docs/manifests.md and docs/permissions.md.
docs/writing-a-kind.md says more.`)
