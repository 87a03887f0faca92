// The sources as JavaScript that node itself loads: Vitest, which otherwise transforms and runs each file, takes 5 %
// longer for all tests.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { globSync } from 'tinyglobby'
import type { Plugin } from 'vitest/config'

const root = resolve(import.meta.dirname, '../..')
const sources = join(root, 'src')
const kept = join(root, 'node_modules/.cache/native-sources')
const day = 86_400_000

/** Files that Vitest must leave to node. */
export const nativeSources = /[\\/]\.cache[\\/]native-sources[\\/]/

/** Each state of the sources has a folder of its own, since another run may still read from the one before. */
export async function loadSourcesNatively(): Promise<Plugin> {
  const files = globSync('src/**/*.ts', { cwd: root, absolute: true }).sort()
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file}\0${readFileSync(file, 'utf8')}\0`)
  const folder = join(kept, digest.digest('hex').slice(0, 16))
  if (!existsSync(folder)) await compile(files, folder)
  return {
    name: 'native-sources',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !/^(?:\.{1,2}|@svcsync)\/.*\.ts$/.test(source)) return undefined
      const inside = source.startsWith('.')
        ? relative(sources, resolve(dirname(importer), source))
        : source.slice('@svcsync/'.length)
      return inside.startsWith('..') ? undefined : join(folder, inside.replace(/\.ts$/, '.mjs'))
    },
  }
}

async function compile(files: readonly string[], folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`
  const { outputFiles } = await build({
    entryPoints: [...files],
    outbase: sources,
    outdir: partial,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    write: false,
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    const toRoot = relative(dirname(path), partial) || '.'
    const linked = text.replace(/(from\s*|import\()"@svcsync\/([^"]+)\.ts"/g, `$1"${toRoot}/$2.mjs"`)
    writeFileSync(path, linked.replace(/(from\s*|import\()"(\.[^"]+)\.ts"/g, '$1"$2.mjs"'))
  }
  for (const name of readdirSync(kept)) {
    const path = join(kept, name)
    if (Date.now() - statSync(path).mtimeMs > day) rmSync(path, { recursive: true, force: true })
  }
  // Somebody else may have compiled the same meanwhile.
  if (existsSync(folder)) rmSync(partial, { recursive: true })
  else renameSync(partial, folder)
}
