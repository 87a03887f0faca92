// Builds the command and the library into dist: bundled, and loaded per command what it needs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { asCommonJs, lineLimit } from './build/as-common-js.ts'
import { loweredParser } from './build/lowered-parser.ts'
import { thirdPartyLicenses } from './build/third-party-licenses.ts'
import { together } from './build/together.ts'

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }
/** What DEBUG would make packages print may hold what others told them: passwords of proxies, headers. */
const noDebugLog: Plugin = {
  name: 'no-debug-log',
  setup(build) {
    build.onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'no-debug-log' }))
    build.onLoad({ filter: /.*/, namespace: 'no-debug-log' }, () => ({ contents: 'module.exports = () => () => {}' }))
  },
}

/** Built-in modules that cost milliseconds to load, and that most runs never use: read when they are. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    // Importing it reads all its properties, stdin and stderr too, which opens them.
    build.onResolve({ filter: /^node:process$/ }, ({ path }) => ({ path, namespace: 'lazy' }))
    // Commander holds it for subcommands that are programs of their own. There are none.
    build.onResolve({ filter: /^(?:node:)?child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'child_process', namespace: 'lazy' } : undefined,
    )
    // Undici holds it for HTTP/2, which it is not told to offer; where node lacks the module it does with just this.
    build.onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      /[\\/]undici[\\/]/.test(importer) ? { path, namespace: 'lazy' } : undefined,
    )
    build.onLoad({ filter: /^node:http2$/, namespace: 'lazy' }, () => ({
      contents: 'module.exports = { constants: {} }',
    }))
    build.onLoad({ filter: /^node:process$/, namespace: 'lazy' }, () => ({
      contents: 'module.exports = globalThis.process',
    }))
    build.onLoad({ filter: /^child_process$/, namespace: 'lazy' }, () => ({
      contents: "module.exports = { get spawn() { return process.getBuiltinModule('node:child_process').spawn } }",
    }))
  },
}

const options: BuildOptions = {
  entryPoints: { svcsync: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit,
  legalComments: 'linked',
  define: {
    SVCSYNC_VERSION: JSON.stringify(version),
    SVCSYNC_PROBLEMS: JSON.stringify(await readFile('docs/problems.md', 'utf8')),
  },
  plugins: [lazyBuiltins, noDebugLog, loweredParser],
  logLevel: 'warning',
}
const plugins = [await together(options), ...(options.plugins ?? [])]
rmSync('dist', { recursive: true, force: true })
const { metafile, outputFiles } = await build({ ...options, plugins, metafile: true, write: false })
for (const file of outputFiles) {
  const { path, text } = file
  mkdirSync(dirname(path), { recursive: true })
  // Whoever imports the library has the loader of ES modules already.
  if (basename(path) === 'index.cjs') writeFileSync(path.replace(/cjs$/, 'js'), text)
  else writeFileSync(path, path.endsWith('.cjs') ? await asCommonJs(text) : text)
}
chmodSync('dist/svcsync.cjs', 0o755)
// Where the command was in 0.1.0, for whoever starts it by its path.
writeFileSync('dist/svcsync.js', "#!/usr/bin/env node\nimport './svcsync.cjs'\n", { mode: 0o755 })
// By itself: nothing of it is loaded by the command, which it starts as a process of its own.
await build({
  ...options,
  entryPoints: { action: 'src/cli/action/main.ts' },
  splitting: false,
  outExtension: {},
  // Bundled packages that are CommonJS ask for node's own modules by `require`.
  banner: {
    js: 'const require = (id) => { const found = process.getBuiltinModule(id); if (found === undefined) throw new Error(`${id} is not bundled`); return found };',
  },
})
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', thirdPartyLicenses(Object.keys(metafile.inputs)))
