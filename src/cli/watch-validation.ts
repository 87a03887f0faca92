// `svcsync validate --watch`: validates again whenever a file changes, and parses only what did.
import { once } from 'node:events'
import process from 'node:process'
import { shownPath } from '../manifests/load-manifests.ts'
import { enumerate } from '../render/problems/problem-sentences.ts'
import { projectFile } from '../runs/open/open-project.ts'
import { type ValidateRunOptions, type Validation, validateRun } from '../runs/open/validate-run.ts'
import { type WatchedPaths, watchedPaths } from '../runs/open/watched-paths.ts'
import type { Console } from './console.ts'
import { exitCodes } from './exit-codes.ts'
import { FileChanges } from './file-changes.ts'
import { notSetLines, validationText } from './validation-text.ts'

/** More names of changed files than these are counted. */
const maxNamed = 3

interface Shown {
  readonly text: string
  /** Of what was not asked for. */
  readonly notes: readonly string[]
}

/** Until it is interrupted, or nobody reads any more. `judge`: what `--strict` makes of a result. */
export async function watchValidation(
  options: ValidateRunOptions,
  console: Console,
  judge: (found: Validation) => Validation,
): Promise<number> {
  const { cwd } = options
  // The file that is found now is the one that is watched: another one must not take its place when it is gone for a moment.
  const project = projectFile(options.project, cwd)
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined)
  const changes = new FileChanges((error) => console.note(`Watching: ${error.message}`))
  let previous: Validation | undefined
  let watched: WatchedPaths | undefined
  let shown: Shown | undefined

  const validate = async (): Promise<Shown> => {
    previous = await validateRun({ ...options, project, previous, nowMs: Date.now() })
    watched = watchedPaths(previous, watched)
    const judged = judge(previous)
    return { text: await validationText(judged, console), notes: notSetLines(judged) }
  }
  const show = async (found: Shown, changed: readonly string[]): Promise<void> => {
    shown = found
    console.clearScreen()
    if (changed.length > 0) console.note(changedLine(changed.map((path) => shownPath(path, cwd))))
    await console.result(found.text)
    for (const line of found.notes) console.note(line)
  }

  try {
    await show(await validate(), [])
    for (;;) {
      // What changed while nobody watched yet.
      while (watched !== undefined && (await changes.watch(watched))) {
        const found = await validate()
        if (JSON.stringify(found) !== JSON.stringify(shown)) await show(found, [])
      }
      if (console.isUnheard) return exitCodes.done
      console.note('Watching for changes. Ctrl-C ends it.')
      const changed = await Promise.race([changes.next(), interrupted])
      if (changed === undefined) return exitCodes.done
      await show(await validate(), changed)
    }
  } finally {
    await changes.close()
  }
}

function changedLine(paths: readonly string[]): string {
  const more = paths.length - maxNamed
  const named = more > 1 ? [...paths.slice(0, maxNamed), `${more} others`] : paths
  return `${enumerate(named)} changed.`
}
