// `svcsync validate --watch`: validates again after changes of files, and parses only what changed.

import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import process from 'node:process'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { projectFile } from '@svcsync/runs/open/open-project.ts'
import { type ValidateRunOptions, type Validation, validateRun } from '@svcsync/runs/open/validate-run.ts'
import { watchedPaths } from '@svcsync/runs/open/watched-paths.ts'
import { type FSWatcher, watch } from 'chokidar'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { notSetLines, validationText } from './validation-text.ts'

const maxNamed = 3

interface Display {
  readonly text: string
  readonly notes: readonly string[]
}

/** Until it is interrupted, or nobody reads any more. `judge`: what `--strict` makes of a result. */
export async function watchValidation(
  options: ValidateRunOptions,
  console: Console,
  judge: (found: Validation) => Validation,
) {
  const { cwd } = options
  // The file that is found now stays the watched one: another must not replace it when it is gone for a moment.
  const project = projectFile(options.project, cwd)
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined)
  const changes = new FileChanges((error) => console.note(`Watching: ${error.message}`))
  let previous: Validation | undefined
  let watched: ReturnType<typeof watchedPaths> | undefined
  let shown: Display | undefined

  const validate = async (): Promise<Display> => {
    previous = await validateRun({ ...options, project, previous, nowMs: Date.now() })
    watched = watchedPaths(previous, watched)
    const judged = judge(previous)
    return { text: await validationText(judged, console), notes: notSetLines(judged) }
  }
  const show = async (found: Display, changed: readonly string[]): Promise<void> => {
    shown = found
    console.clearScreen()
    if (changed.length > 0) console.note(changedLine(changed.map((path) => shownPath(path, cwd))))
    await console.result(found.text)
    for (const line of found.notes) console.note(line)
  }

  try {
    await show(await validate(), [])
    for (;;) {
      // Changes from before the watch began.
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

/** Milliseconds for which a file that is being written must keep its size. */
const settledMs = 80
/** Milliseconds without a change that end a run of changes, and after which a run that does not end counts. */
const quietMs = 60
const longestMs = 1000

/** Folders are watched whole; files, and what is missing, by their folder: so a replaced file is seen. */
class FileChanges {
  readonly #onError: (error: Error) => void
  readonly #changed = new Set<string>()
  #watchers: FSWatcher[] = []
  #key = ''
  #count = 0
  #wake: () => void = () => {}

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** Watches these from now on. False: these are watched already. Else what changed up to now may have been missed. */
  async watch({ paths, extensions }: ReturnType<typeof watchedPaths>): Promise<boolean> {
    const folders = paths.filter(isFolder)
    const near = [...new Set(paths.map(nearestFolder))]
    const key = JSON.stringify([paths, folders, near, extensions && [...extensions]])
    if (key === this.#key) return false
    await this.close()
    this.#key = key
    const wanted = new Set(paths)
    const leadsThere = (path: string) => wanted.has(path) || paths.some((each) => each.startsWith(`${path}${sep}`))
    const isHidden = (path: string) => /^\.|^node_modules$/.test(basename(path)) && !leadsThere(path)
    const isOther = (path: string) =>
      extensions !== undefined && ![...extensions].some((end) => path.toLowerCase().endsWith(end))
    const common = {
      ignoreInitial: true,
      ignorePermissionErrors: true,
      awaitWriteFinish: { stabilityThreshold: settledMs, pollInterval: 20 },
    }
    const around = watch(near, { ...common, depth: 0, ignored: (path) => !near.includes(path) && !leadsThere(path) })
    const within = watch(folders, {
      ...common,
      ignored: (path, stats) => isHidden(path) || (stats?.isFile() === true && isOther(path) && !wanted.has(path)),
    })
    this.#watchers = [around, within]
    // One that has nothing to watch is never ready.
    const begun = [this.#begin(around), ...(folders.length > 0 ? [this.#begin(within)] : [])]
    await Promise.all(begun)
    return true
  }

  /** The paths that have changed, once no more do for a moment. */
  async next(): Promise<readonly string[]> {
    if (this.#changed.size === 0)
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    const begin = Date.now()
    for (let before = -1; before !== this.#count && Date.now() - begin < longestMs; ) {
      before = this.#count
      await new Promise((done) => setTimeout(done, quietMs))
    }
    const changed = [...this.#changed].sort()
    this.#changed.clear()
    return changed
  }

  async close(): Promise<void> {
    const watchers = this.#watchers
    this.#watchers = []
    this.#key = ''
    await Promise.all(watchers.map((each) => each.close()))
  }

  #begin(watcher: FSWatcher): Promise<void> {
    watcher.on('all', (_event, path) => {
      this.#changed.add(path)
      this.#count++
      this.#wake()
    })
    watcher.on('error', (error) => this.#onError(error as Error))
    return new Promise((done) => watcher.once('ready', done))
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function nearestFolder(path: string): string {
  let folder = dirname(path)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
