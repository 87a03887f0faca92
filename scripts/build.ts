// Builds the command and the library into dist: bundled, and loaded per command what it needs.
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { build } from 'esbuild'

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }
rmSync('dist', { recursive: true, force: true })
await build({
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
  keepNames: true,
  legalComments: 'linked',
  define: { SVCSYNC_VERSION: JSON.stringify(version) },
  // Bundled packages that are CommonJS ask for node's own modules by `require`.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  logLevel: 'warning',
})
