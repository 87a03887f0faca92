// Lowers object spread in js-yaml, whose hottest function has one that Node 20 runs slowly. Our own code keeps its
// spreads, since the lowered form is slow in other ways.
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
