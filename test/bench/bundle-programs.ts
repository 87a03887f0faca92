// Bundles the programs that are timed into single files, so that they start as the built command does.
import { join } from 'node:path'
import { build } from 'esbuild'
import { loweredParser } from '../../scripts/build/lowered-parser.ts'

/** Programs by how they are bundled. Ours are built as the command is; the js-yaml parser alone, as it is published. */
const built = {
  plain: ['bare-apply', 'bare-upload', 'parse-events'],
  ours: ['bare-reads', 'open-project', 'plan-manifests', 'access-of-tenant'],
  // A hook, and a package that asks for node's modules by `require`.
  commonJs: ['peak-memory', 'parse-document'],
} as const
export type Programs = Readonly<Record<(typeof built)[keyof typeof built][number], string>>

/** Paths of the bundles by the names of the programs. */
export async function bundlePrograms(outdir: string): Promise<Programs> {
  const entries = (names: readonly string[]): string[] =>
    names.map((name) => join(import.meta.dirname, 'programs', `${name}.ts`))
  const shared = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning', outdir } as const
  const esm = { ...shared, format: 'esm', outExtension: { '.js': '.mjs' } } as const
  await Promise.all([
    build({ ...esm, entryPoints: entries(built.plain) }),
    build({ ...esm, entryPoints: entries(built.ours), plugins: [loweredParser] }),
    build({ ...shared, entryPoints: entries(built.commonJs), format: 'cjs', outExtension: { '.js': '.cjs' } }),
  ])
  const pathsOf = (names: readonly string[], extension: string) =>
    names.map((name) => [name, join(outdir, `${name}.${extension}`)])
  const modules = pathsOf([...built.plain, ...built.ours], 'mjs')
  return Object.fromEntries([...modules, ...pathsOf(built.commonJs, 'cjs')]) as Programs
}
