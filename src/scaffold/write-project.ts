// Writes the files of a new project, and no other: what is there already stays as it is.
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../errors/index.ts'
import { templates } from './generated/templates.ts'

export interface WrittenProject {
  /** Paths inside the project, with forward slashes, in order. */
  readonly written: readonly string[]
  /** Those that were there. */
  readonly left: readonly string[]
  /** Whether `.env` would get into version control by the `.gitignore` that was there. */
  readonly envIsExposed: boolean
}

const projectFiles = ['svcsync.yaml', 'svcsync.yml']
const ignored = ['.env', 'node_modules/']

/**
 * `dir` is made where it is missing. Throws an OperatorError where it holds a project, or a file cannot be written.
 * `files`: by path inside the project; `.gitignore` comes by itself.
 */
export function writeProject(dir: string, files: Readonly<Record<string, string>> = templates): WrittenProject {
  refuseProject(dir)
  const written: string[] = []
  const left: string[] = []
  for (const [file, text] of filesInOrder(files)) {
    if (create(dir, file, text, written)) written.push(file)
    else left.push(file)
  }
  return { written: written.sort(), left: left.sort(), envIsExposed: left.includes('.gitignore') && exposesEnv(dir) }
}

/** Throws an OperatorError where the folder holds a project. */
export function refuseProject(dir: string): void {
  const existing = projectFiles.find((name) => exists(join(dir, name)))
  if (existing === undefined) return
  throw new OperatorError('SVC2030', `There is a project here already: \`${existing}\``, {
    hint: 'Go on with it, or name another folder: `svcsync init FOLDER`.',
  })
}

/** The project file last: until it is there, a run that broke off can be repeated. */
function filesInOrder(files: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const all = Object.entries({ '.gitignore': `${ignored.join('\n')}\n`, ...files })
  const isLast = ([file]: readonly [string, string]) => projectFiles.includes(file)
  return [...all.filter((entry) => !isLast(entry)), ...all.filter(isLast)]
}

/** False: there is something of that name. */
function create(dir: string, file: string, text: string, written: readonly string[]): boolean {
  try {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    // Fails on whatever bears the name, a link that leads nowhere among it.
    writeFileSync(join(dir, file), text, { flag: 'wx' })
    return true
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code)
    if (code === 'EEXIST' && exists(join(dir, file))) return false
    const done = written.length === 0 ? 'Nothing was written.' : `Written until then: ${written.join(', ')}.`
    throw new OperatorError('SVC2031', `\`${file}\` cannot be written: the system says ${code}`, {
      hint: `Check the folder and its rights. ${done}`,
      cause: error,
    })
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Something on the way is no folder: writing will say so.
    return false
  }
}

function exposesEnv(dir: string): boolean {
  try {
    const lines = readFileSync(join(dir, '.gitignore'), 'utf8').split(/\r?\n/)
    return !lines.some((line) => /^(?:\*\*)?\/?\.env\*?$/.test(line.trim()))
  } catch {
    return true
  }
}
