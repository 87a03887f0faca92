// Puts what a plan loads into a few files. Each file more that a command reads takes a third of a millisecond and more,
// and esbuild makes one for each set of entry points that share a module: here those of a group share all of it.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import process from 'node:process'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const commands = 'src/cli/commands'
/** What all commands and `validate` load; what shows plans; what reads saved plans and ledgers; and all the rest. */
const groups = [
  [...['src/cli/program/program.ts', 'src/cli/terminal/problems-text.ts'], `${commands}/project/validate.ts`],
  ['src/render/plan/plan-blocks.ts'],
  ['src/cli/planning/ledger-for-command.ts', `${commands}/changes/show.ts`],
  [`${commands}/changes/plan.ts`],
]
/** The entry that starts before all others, and the library, which others import by its names. */
const apart = ['src/cli/main.ts', 'src/index.ts']
/** Of a group's bytes: whoever loads more than that loads all of it. A thousand bytes take 16 µs. */
const least = 0.01

/** `options`: of the build that it is for. */
export async function together(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, metafile: true, write: false })
  const entries = Object.values(metafile.outputs)
    .map(({ entryPoint = '' }) => entryPoint)
    .filter((path) => path.startsWith('src/') && !apart.includes(path))
  const parts = partsOf(metafile)
  const contents = await Promise.all(parts.map((part) => holding([...part.keys()])))
  const added = new Map<string, string>()
  for (const entry of entries) {
    const loaded = modulesOf(metafile, [entry])
    const shared = parts.flatMap((part, index) => {
      const own = bytesOf(new Map([...part].filter(([path]) => loaded.has(path))))
      return index === 0 || own > least * bytesOf(part) ? [index] : []
    })
    const lines = shared.map((index) => `\nexport { together as together${index} } from 'together:${index}'`)
    added.set(resolve(entry), lines.join(''))
  }
  return {
    name: 'together',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const lines = added.get(path)
        return lines === undefined ? undefined : { contents: (await readFile(path, 'utf8')) + lines, loader: 'ts' }
      })
      build.onResolve({ filter: /^together:/ }, ({ path }) => ({ path, namespace: 'together' }))
      build.onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => ({
        contents: contents[Number(path.replace('together:', ''))] ?? '',
        resolveDir: process.cwd(),
      }))
    },
  }
}

type Sizes = ReadonlyMap<string, number>

const bytesOf = (modules: Sizes): number => [...modules.values()].reduce((sum, bytes) => sum + bytes, 0)

/** The modules of each group that a plan or all commands load, less those of the groups before. */
function partsOf(metafile: Metafile): readonly Sizes[] {
  const left = new Map(modulesOf(metafile, groups.filter((_, index) => index !== 2).flat()))
  return groups.map((group) => {
    const loaded = modulesOf(metafile, group)
    const own = new Map([...left].filter(([path]) => loaded.has(path)))
    for (const path of own.keys()) left.delete(path)
    return own
  })
}

/** The modules of this project that `entries` load at once, with their sizes. */
function modulesOf({ outputs }: Metafile, entries: readonly string[]): Sizes {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') load(next)
  }
  for (const [path, { entryPoint = '' }] of Object.entries(outputs)) if (entries.includes(entryPoint)) load(path)
  return new Map(
    [...loaded]
      .flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
      .filter(([path, { bytesInOutput }]) => path.startsWith('src/') && bytesInOutput > 0)
      .map(([path, { bytesInOutput }]) => [path, bytesInOutput]),
  )
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
