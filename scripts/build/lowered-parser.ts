// Lowers object spread in js-yaml: Node 20 runs it slowly, and the parser has one in its hottest function. What it
// becomes is slow in other ways, so our own code keeps its spreads.
import { readFile } from 'node:fs/promises'
import { type Plugin, transform } from 'esbuild'

export const loweredParser: Plugin = {
  name: 'lowered-parser',
  setup(build) {
    build.onLoad({ filter: /[\\/]js-yaml[\\/]dist[\\/].*\.m?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { supported: { 'object-rest-spread': false } })
      return { contents: code, loader: 'js' }
    })
  },
}
