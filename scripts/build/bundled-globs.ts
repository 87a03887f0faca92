// fdir asks for picomatch by a `require` that no bundler sees: it would load what happens to lie in some node_modules above
// the command, and costs 3 ms. tinyglobby brings its own, and never has fdir match anything.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { InternalError } from '../../src/errors/index.ts'

const asked = 'createRequire(import.meta.url)'

export const bundledGlobs: Plugin = {
  name: 'bundled-globs',
  setup(build) {
    build.onLoad({ filter: /[\\/]fdir[\\/]dist[\\/]index\.mjs$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8')
      if (!code.includes(asked)) throw new InternalError('fdir has another form now: look at how it asks for picomatch')
      return { contents: code.replace(asked, '{ resolve() { throw new Error("not bundled") } }'), loader: 'js' }
    })
  },
}
