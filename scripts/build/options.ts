// Options of the bundle: the same for the package and for the executable.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { lineLimit } from './as-common-js.ts'
import { loweredParser } from './lowered-parser.ts'

export const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
/** DEBUG would make packages print foreign data, such as passwords of proxies and headers. */
const noDebugLog: Plugin = {
  name: 'no-debug-log',
  setup(build) {
    build.onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'no-debug-log' }))
    build.onLoad({ filter: /.*/, namespace: 'no-debug-log' }, () => ({ contents: 'module.exports = () => () => {}' }))
  },
}

const isStart = /[\\/]cli[\\/]main\.ts$/

/** Built-in modules that cost milliseconds to load, and that most runs never use: read when they are. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    // Importing it reads all its properties, stdin and stderr too, which opens them.
    build.onResolve({ filter: /^node:process$/ }, ({ path, importer }) =>
      isStart.test(importer) ? { path: 'start', namespace: 'lazy' } : { path, namespace: 'lazy' },
    )
    // The file that starts has copies of the two modules that it would share with others: two files fewer to be read.
    build.onResolve({ filter: /\/version\.ts$/ }, ({ path, importer, resolveDir }) =>
      isStart.test(importer) ? { path: resolve(resolveDir, path), suffix: '?start' } : undefined,
    )
    build.onLoad({ filter: /^start$/, namespace: 'lazy' }, () => ({
      contents: 'export default process\nexport const { argv, env, exit, stderr, stdout } = process',
    }))
    // Commander holds it for subcommands that are programs of their own. There are none.
    build.onResolve({ filter: /^(?:node:)?child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'child_process', namespace: 'lazy' } : undefined,
    )
    // `validate` hashes nothing, and names no file that it writes. Packages use more of it.
    build.onResolve({ filter: /^node:crypto$/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]/.test(importer) ? undefined : { path, namespace: 'lazy' },
    )
    build.onLoad({ filter: /^node:crypto$/, namespace: 'lazy' }, () => ({
      contents: `const load = () => process.getBuiltinModule('node:crypto')
module.exports = {
  get createHash() { return load().createHash },
  get randomUUID() { return load().randomUUID },
  get X509Certificate() { return load().X509Certificate },
}`,
    }))
    build.onLoad({ filter: /^node:process$/, namespace: 'lazy' }, () => ({
      contents: 'module.exports = globalThis.process',
    }))
    build.onLoad({ filter: /^child_process$/, namespace: 'lazy' }, () => ({
      contents: "module.exports = { get spawn() { return process.getBuiltinModule('node:child_process').spawn } }",
    }))
  },
}

/** Parts of undici that would take a quarter of its room: HTTP/2, which it is not told to offer, and forms. */
const lessUndici: Plugin = {
  name: 'less-undici',
  setup(build) {
    build.onResolve({ filter: /[\\/](?:client-h2|fetch[\\/]body)\.js$/ }, ({ path, importer }) =>
      /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = undefined' }))
    // Two builds of one parser, of which the plain one runs on every processor.
    build.onResolve({ filter: /llhttp_simd-wasm\.js$/ }, ({ resolveDir, kind }) =>
      build.resolve('../llhttp/llhttp-wasm.js', { resolveDir, kind }),
    )
  },
}

export const options: BuildOptions = {
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
  // The build for node asks the environment at each token whether to print it: slow, and LOG_TOKENS would show secrets.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  define: {
    SVCSYNC_VERSION: JSON.stringify(version),
    SVCSYNC_PROBLEMS: JSON.stringify(readFileSync('docs/problems.md', 'utf8')),
  },
  plugins: [lazyBuiltins, lessUndici, noDebugLog, loweredParser],
  logLevel: 'warning',
}
