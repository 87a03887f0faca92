// `npm run bench`: measures the built command against the least that the same work could cost, and fails when a limit
// is broken.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readBenchOptions } from './bench-options.ts'
import { bundlePrograms } from './bundle-programs.ts'
import { type BenchContext, isKept, type Measure, type Part } from './measure.ts'
import { measureAccess } from './parts/access.ts'
import { measureEdit } from './parts/edit.ts'
import { measureFirstApply } from './parts/first-apply.ts'
import { measureGuardedApply } from './parts/guarded-apply.ts'
import { measureHugeManifests } from './parts/huge-manifests.ts'
import { measureImport } from './parts/import.ts'
import { measureLargeManifests } from './parts/large-manifests.ts'
import { measureManyLicenses } from './parts/many-licenses.ts'
import { measureManyUsers } from './parts/many-users.ts'
import { measureNestedGroups } from './parts/nested-groups.ts'
import { measureNoopPlan } from './parts/noop-plan.ts'
import { measureScale } from './parts/scale.ts'
import { measureSince } from './parts/since.ts'
import { measureStartUp } from './parts/start-up.ts'
import { measuresPage, measuresTable } from './render-measures.ts'

const parts: Readonly<Record<string, Part>> = {
  a: measureNoopPlan,
  b: measureFirstApply,
  c: measureLargeManifests,
  d: measureStartUp,
  e: measureManyUsers,
  f: measureHugeManifests,
  g: measureGuardedApply,
  h: measureNestedGroups,
  i: measureSince,
  j: measureAccess,
  k: measureImport,
  l: measureManyLicenses,
  m: measureEdit,
}

/** Only where they are asked for: they take minutes. */
const apart: Readonly<Record<string, Part>> = { scale: measureScale }

const root = resolve(import.meta.dirname, '../..')
const { only, rounds, report } = readBenchOptions(process.argv.slice(2), Object.keys(parts), Object.keys(apart))
const folder = mkdtempSync(join(tmpdir(), 'svcsync-bench-'))
try {
  const programs = await bundlePrograms(join(folder, 'programs'))
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: { svcsync: string } }
  const command = join(root, bin.svcsync)
  const context: BenchContext = { command, programs, folder, rounds, examples: join(root, 'examples') }
  const measures: Measure[] = []
  for (const [letter, part] of Object.entries({ ...parts, ...apart })) {
    if (!only.includes(letter)) continue
    process.stderr.write(`Measuring ${letter} …\n`)
    const found = await part(context)
    process.stderr.write(`${measuresTable(found)}\n\n`)
    measures.push(...found)
  }
  process.stdout.write(`${measuresTable(measures)}\n`)
  const page = join(root, 'docs/benchmarks.md')
  if (report) writeFileSync(page, measuresPage(measures, rounds, readFileSync(page, 'utf8')))
  process.exitCode = measures.every(isKept) ? 0 : 1
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
