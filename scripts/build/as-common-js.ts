// Makes CommonJS of a chunk of a build, which node reads at once: its loader of ES modules takes some 8 ms to come
// about, and each file more goes through promises. esbuild splits nothing but ES modules.
import { transform } from 'esbuild'

/** Node shows the line of an error that nobody catches: without a limit, it would be the whole bundle. */
export const lineLimit = 200

/** Chunks loaded for their effects alone: they have none. */
const unused = /(?<=^|;)import"\.\/(?:chunks\/)?chunk-\w+\.cjs";/gm

/** Modules loaded later (`import()`) become a `require`, too. */
export async function asCommonJs(esModule: string): Promise<string> {
  const { code, names } = withPlainExports(esModule.replace(unused, ''))
  const { code: made } = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit,
    legalComments: 'inline',
    logLevel: 'warning',
  })
  // The library is an ES module: node finds the names that it imports in this line, which never runs.
  return names.length === 0 ? made : `${made}0&&(module.exports={${names.join()}});\n`
}

/** esbuild makes two functions of each export, which run at every use by another chunk. Chunks import in no circle. */
function withPlainExports(esModule: string): { readonly code: string; readonly names: readonly string[] } {
  const [clause, listed = ''] = /\bexport\s*\{([\w$\s,]+)\};?(?=\s*(?:\/\*[^*]*\*\/\s*)?$)/.exec(esModule) ?? []
  if (clause === undefined) return { code: esModule, names: [] }
  const pairs = listed.split(',').map((each) => each.trim().split(/\s+as\s+/) as [string, string?])
  const plain = pairs.map(([own, name = own]) => `${name}:${own}`)
  const mark = 'Object.defineProperty(module.exports,"__esModule",{value:true});'
  const code = esModule.replace(clause, () => `module.exports={${plain}};${mark}`)
  return { code, names: pairs.map(([own, name = own]) => name) }
}
