// Options of the bundle: the same for the package and for the executable.
import { readFileSync } from 'node:fs'
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
    // `validate` hashes nothing, and names no file that it writes. Packages use more of it.
    build.onResolve({ filter: /^node:crypto$/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]/.test(importer) ? undefined : { path, namespace: 'lazy' },
    )
    // Undici holds it for HTTP/2, which it is not told to offer; where node lacks the module it does with just this.
    build.onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      /[\\/]undici[\\/]/.test(importer) ? { path, namespace: 'lazy' } : undefined,
    )
    build.onLoad({ filter: /^node:http2$/, namespace: 'lazy' }, () => ({
      contents: 'module.exports = { constants: {} }',
    }))
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
  plugins: [lazyBuiltins, noDebugLog, loweredParser],
  logLevel: 'warning',
}
