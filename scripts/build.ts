// Builds the command and the library into dist: bundled, and loaded per command what it needs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { build } from 'esbuild'
import { asCommonJs } from './build/as-common-js.ts'
import { bundledPackages, sbom, thirdPartyLicenses } from './build/bundled-packages.ts'
import { options, version } from './build/options.ts'
import { together } from './build/together.ts'

const plugins = [await together(options), ...(options.plugins ?? [])]
rmSync('dist', { recursive: true, force: true })
const { metafile, outputFiles } = await build({ ...options, plugins, metafile: true, write: false })
for (const file of outputFiles) {
  const { path, text } = file
  mkdirSync(dirname(path), { recursive: true })
  // Importers of the library use the loader of ES modules already.
  if (basename(path) === 'index.cjs') writeFileSync(path.replace(/cjs$/, 'js'), text)
  else writeFileSync(path, path.endsWith('.cjs') ? await asCommonJs(text) : text)
}
chmodSync('dist/svcsync.cjs', 0o755)
// The path of the command in 0.1.0, for callers that start it by its path.
writeFileSync('dist/svcsync.js', "#!/usr/bin/env node\nimport './svcsync.cjs'\n", { mode: 0o755 })
// `import` and `require` give the same library.
writeFileSync('dist/index.cjs', "module.exports = require('./index.js')\n")
// By itself: nothing of it is loaded by the command, which it starts as a process of its own.
const { metafile: action } = await build({
  ...options,
  metafile: true,
  entryPoints: { action: 'src/cli/action/main.ts' },
  splitting: false,
  outExtension: {},
  // Bundled packages that are CommonJS ask for node's own modules by `require`.
  banner: {
    js:
      'const require = (id) => { const found = process.getBuiltinModule(id); ' +
      'if (found === undefined) throw new Error(`${id} is not bundled`); return found };',
  },
})
const packages = bundledPackages([...Object.keys(metafile.inputs), ...Object.keys(action.inputs)])
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', thirdPartyLicenses(packages))
writeFileSync('dist/sbom.cdx.json', sbom(version, packages))
