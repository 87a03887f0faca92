// Bundles the programs that are timed into single files, so that they start as the built command does.
import { join } from 'node:path'
import { build } from 'esbuild'
import { loweredParser } from '../../scripts/build/lowered-parser.ts'

export const programNames = ['bare-reads', 'bare-writes', 'parse-events', 'plan-manifests', 'peak-memory'] as const
export type Programs = Readonly<Record<(typeof programNames)[number], string>>

/** Paths of the bundles by the names of the programs. */
export async function bundlePrograms(outdir: string): Promise<Programs> {
  const entry = (name: string): string => join(import.meta.dirname, 'programs', `${name}.ts`)
  const shared = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning' } as const
  const [hook, plan, ...rest] = [...programNames].reverse()
  const esm = { ...shared, outdir, format: 'esm', outExtension: { '.js': '.mjs' } } as const
  await Promise.all([
    build({ ...esm, entryPoints: rest.map(entry) }),
    // Ours is built as the command is; the parser alone, as it is published.
    build({ ...esm, entryPoints: [entry(plan as string)], plugins: [loweredParser] }),
    build({ ...shared, entryPoints: [entry(hook as string)], outdir, format: 'cjs', outExtension: { '.js': '.cjs' } }),
  ])
  const paths = programNames.map((name) => [name, join(outdir, `${name}.${name === hook ? 'cjs' : 'mjs'}`)])
  return Object.fromEntries(paths) as Programs
}
