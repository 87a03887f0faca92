// Generates what follows from the kinds and the examples. `--check` fails where a generated file is not what it would
// generate.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { interfaceDocument } from '../src/emulator/index.ts'
import { ciExamples } from './generate/ci-examples.ts'
import { commandPages } from './generate/command-pages.ts'
import { documentSchemasSource } from './generate/document-schemas.ts'
import {
  exceptionsSchemaSource,
  manifestSchemaSource,
  policiesSchemaSource,
  projectSchemaSource,
  targetsSchemaSource,
} from './generate/editor-schema.ts'
import { emulatorPage } from './generate/emulator-page.ts'
import { pageAssetsSource } from './generate/page-assets.ts'
import { registrySource } from './generate/registry.ts'
import { templatesSource } from './generate/templates.ts'

const files: Record<string, () => string | Promise<string>> = {
  'src/kinds/index.ts': () => registrySource('src/kinds'),
  'schemas/manifest.schema.json': async () => manifestSchemaSource(await currentKinds()),
  'schemas/project.schema.json': async () => projectSchemaSource(await currentKinds()),
  'schemas/targets.schema.json': async () => targetsSchemaSource(await currentKinds()),
  'schemas/policies.schema.json': async () => policiesSchemaSource(await currentKinds()),
  'schemas/exceptions.schema.json': async () => exceptionsSchemaSource(await currentKinds()),
  'src/core/plan/generated/document-schemas.ts': () => documentSchemasSource(),
  'src/render/html/generated/assets.ts': () => pageAssetsSource(),
  'src/scaffold/generated/templates.ts': async () => templatesSource(await currentKinds()),
  'schemas/platform-5.0.openapi.json': () => platformSource('5.0'),
  'schemas/platform-6.0.openapi.json': () => platformSource('6.0'),
  'docs/emulator.md': () => emulatorPage(),
  ...commandPages(),
  ...ciExamples(),
}

function platformSource(version: '5.0' | '6.0'): string {
  return `${JSON.stringify(interfaceDocument(version), null, 2)}\n`
}

/** Loaded when the registry has been written, so that a new kind is in every file at once. */
async function currentKinds() {
  return (await import('../src/kinds/index.ts')).kinds
}

const check = process.argv.includes('--check')
let stale = 0
for (const [file, generate] of Object.entries(files)) {
  const wanted = await generate()
  let current = ''
  try {
    current = readFileSync(file, 'utf8')
  } catch {}
  if (current === wanted) continue
  if (check) {
    console.error(`${file} is not current: run \`npm run generate\`.`)
    stale++
  } else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, wanted)
    console.log(`wrote ${file}`)
  }
}
process.exit(stale === 0 ? 0 : 1)
