// Puts what every command loads, and `validate`, into one file. Each file more that a command reads takes a third of a
// millisecond and more, and esbuild makes one for each set of entry points that share a module: here all share all of
// it.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import process from 'node:process'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const loading = ['src/cli/program/program.ts', 'src/cli/commands/project/validate.ts']
/** The entry that starts before all others, and the library, which others import by its names. */
const apart = ['src/cli/main.ts', 'src/index.ts']

/** `options`: of the build that it is for. */
export async function together(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, metafile: true, write: false })
  const entryPoints = Object.values(metafile.outputs).map(({ entryPoint = '' }) => entryPoint)
  const sharing = new Set(
    entryPoints.filter((path) => path.startsWith('src/') && !apart.includes(path)).map((path) => resolve(path)),
  )
  const contents = await holding(modulesOf(metafile))
  return {
    name: 'together',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        sharing.has(path)
          ? { contents: `${await readFile(path, 'utf8')}\nexport { together } from 'together'\n`, loader: 'ts' }
          : undefined,
      )
      build.onResolve({ filter: /^together$/ }, ({ path }) => ({ path, namespace: 'together' }))
      build.onLoad({ filter: /.*/, namespace: 'together' }, () => ({ contents, resolveDir: process.cwd() }))
    },
  }
}

/** The modules of this project that `loading` loads at once. */
function modulesOf({ outputs }: Metafile): readonly string[] {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') load(next)
  }
  for (const [path, { entryPoint = '' }] of Object.entries(outputs)) if (loading.includes(entryPoint)) load(path)
  return [...loaded]
    .flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    .filter(([path, { bytesInOutput }]) => path.startsWith('src/') && bytesInOutput > 0)
    .map(([path]) => path)
}

/** A module that imports others. One name of each is enough. */
async function holding(paths: readonly string[]): Promise<string> {
  const names: string[] = []
  let text = ''
  for (const path of paths) {
    const name = /^export (?:async )?(?:function|const|class) (\w+)/m.exec(await readFile(path, 'utf8'))?.[1]
    if (name === undefined) continue
    names.push(`of${names.length}`)
    text += `import { ${name} as ${names.at(-1)} } from './${path}'\n`
  }
  return `${text}export const together = () => [${names}]\n`
}
