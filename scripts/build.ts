// Builds the command and the library into dist: bundled, and loaded per command what it needs.
import { rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { build, type Plugin } from 'esbuild'
import { loweredParser } from './build/lowered-parser.ts'
import { thirdPartyLicenses } from './build/third-party-licenses.ts'

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }
/** Importing `node:process` reads all its properties, stdin and stderr too, which opens them and takes 2 ms. */
const lazyProcess: Plugin = {
  name: 'lazy-process',
  setup(build) {
    build.onResolve({ filter: /^node:process$/ }, ({ path }) => ({ path, namespace: 'lazy-process' }))
    build.onLoad({ filter: /.*/, namespace: 'lazy-process' }, () => ({
      contents: 'module.exports = globalThis.process',
    }))
  },
}

rmSync('dist', { recursive: true, force: true })
const { metafile } = await build({
  metafile: true,
  entryPoints: { svcsync: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  define: { SVCSYNC_VERSION: JSON.stringify(version) },
  // Bundled packages that are CommonJS ask for node's own modules by `require`; createRequire takes 0.5 ms in each chunk.
  banner: {
    js: 'const require = (id) => { const found = process.getBuiltinModule(id); if (found === undefined) throw new Error(`${id} is not bundled`); return found };',
  },
  plugins: [lazyProcess, loweredParser],
  logLevel: 'warning',
})
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', thirdPartyLicenses(Object.keys(metafile.inputs)))
