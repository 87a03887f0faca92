// Makes CommonJS of a chunk of a build, which node reads at once: its loader of ES modules takes some 8 ms to come
// about, and each file more goes through promises. esbuild splits nothing but ES modules.
import { transform } from 'esbuild'

/** Node shows the line of an error that nobody catches: without a limit, it would be the whole bundle. */
export const lineLimit = 200

/** Modules loaded later (`import()`) become a `require`, too. */
export async function asCommonJs(esModule: string): Promise<string> {
  const { code } = await transform(esModule, {
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
  return code
}
