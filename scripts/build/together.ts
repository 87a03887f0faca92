// Puts what `validate` loads into as few files as possible. Each file more that a command reads takes a third of a millisecond,
// and esbuild makes one for each set of entry points that share a module: here those that load all of it share all of it.
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const validate = 'src/cli/commands/validate.ts'

/** Entry points that load what `validate` does, or that are loaded after it. */
const sharing = new RegExp(
  `src/(?:${[
    'cli/commands/(?:access|api|apply|doctor|export|fmt|import|init-from-live|locate|plan|policies|report|resume|show|status|undo|validate|wire-names)',
    'cli/(?:access-for-command|approvals|as-page|journal-in-git|ledger-for-command|problems-text|report-error|saved-for-command|validation-formats|watch-validation)',
    'forge/(?:azure|github|gitlab|post-comment)',
    'policies/index',
    'render/(?:plan/render-plan-summary|problems/problem-places|problems/render-problems-for-services|report/annotations)',
    'runs/(?:access/accept-run|open/open-base)',
  ].join('|')})\\.ts$`.replaceAll('/', '[\\\\/]'),
)

/** `options`: of the build that it is for. */
export async function together(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, entryPoints: [validate], metafile: true, write: false })
  const modules = await Promise.all(modulesOf(metafile).map(oneExportOf))
  return {
    name: 'together',
    setup(build) {
      build.onLoad({ filter: sharing }, async ({ path }) => ({
        contents: `${await readFile(path, 'utf8')}\nexport * from 'together'\n`,
        loader: 'ts',
      }))
      build.onResolve({ filter: /^together$/ }, ({ path }) => ({ path, namespace: 'together' }))
      build.onLoad({ filter: /.*/, namespace: 'together' }, () => ({
        contents: modules.join('\n'),
        resolveDir: process.cwd(),
      }))
    },
  }
}

/** The modules of this project that `validate` loads at once. */
function modulesOf({ outputs }: Metafile): readonly string[] {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') load(next)
  }
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === validate) load(path)
  return [...loaded]
    .flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    .filter(([path, { bytesInOutput }]) => path.startsWith('src/') && bytesInOutput > 0)
    .map(([path]) => path)
}

/** It is enough to ask for one of its names. */
async function oneExportOf(path: string, index: number): Promise<string> {
  const name = /^export (?:async )?(?:function|const|class) (\w+)/m.exec(await readFile(path, 'utf8'))?.[1]
  return name === undefined ? '' : `export { ${name} as together${index} } from './${path}'`
}
