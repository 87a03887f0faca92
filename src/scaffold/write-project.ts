// Writes the files of a new project. Existing files stay unchanged.
import { basename, join } from 'node:path'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { type CiSettings, ciFiles, defaultCi } from './ci-files.ts'
import { policyExamples, templates } from './generated/templates.ts'
import { exists, writeNewFiles } from './write-new-files.ts'

const projectFiles = ['svcsync.yaml', 'svcsync.yml']
/** Saved plans and journals hold what is live: who is in what. Under the names that the documentation gives them. */
const ignored = ['.env', 'node_modules/', 'plan.json', '*.plan.json', '*.jsonl']

interface WriteProjectOptions {
  /** By path inside the project; `.gitignore` comes by itself. */
  readonly files?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/**
 * `dir` is made where it is missing. Rejects with an OperatorError where it holds a project, or a file cannot be
 * written: then nothing is. Undefined: it was interrupted, and nothing is written either.
 */
export async function writeProject(
  dir: string,
  { files = exampleFiles(defaultCi('prod')), signal }: WriteProjectOptions = {},
) {
  refuseProject(dir)
  const done = await writeNewFiles(dir, filesInOrder(files), { existing: 'leave', code: 'SVC2031', signal })
  if (done === undefined) return undefined
  const { written, left } = done
  return {
    written: [...written].sort(),
    left: [...left].sort(),
    // The existing one would let `.env` into version control.
    envIsExposed: left.includes('.gitignore') && exposesEnv(dir),
  }
}

/** Absolute path of the project file in the folder. Undefined: there is none. */
export function projectFileIn(dir: string): string | undefined {
  return projectFiles.map((name) => join(dir, name)).find((file) => exists(file))
}

export function refuseProject(dir: string): void {
  const file = projectFileIn(dir)
  if (file === undefined) return
  const existing = basename(file)
  throw new OperatorError('SVC2030', `There is a project here already: \`${existing}\``, {
    hint:
      'Go on with it, or name another folder: `svcsync init FOLDER`. ' +
      '`--from-live --target NAME` adds a target to it, and `--ci FORGE` pipelines.',
  })
}

/** The project file last: until it is there, no command takes the rest for a project. */
function filesInOrder(files: Readonly<Record<string, string>>) {
  const all = Object.entries({ '.gitignore': `${ignored.join('\n')}\n`, ...files })
  const isLast = ([file]: readonly [string, string]) => projectFiles.includes(file)
  const ordered = [...all.filter((entry) => !isLast(entry)), ...all.filter(isLast)]
  return ordered.map(([file, text]) => ({ file, text }))
}

function exposesEnv(dir: string): boolean {
  const text = readBoundedText(join(dir, '.gitignore'), 16)
  if (isUnread(text)) return true
  return !text.split(/\r?\n/).some((line) => /^(?:\*\*)?\/?\.env\*?$/.test(line.trim()))
}

const environment = `# Copy to .env, which git ignores, and load it into the shell: set -a; . ./.env; set +a

# The API application of svcsync
SVCSYNC_CLIENT_ID=
SVCSYNC_CLIENT_SECRET=

# One line for each \${env:…} in the manifests, for instance a password of a connection
`

/** Path inside the project → content, of the example. Undefined: without pipelines. */
export function exampleFiles(ci: CiSettings | undefined): Readonly<Record<string, string>> {
  return { ...templates, ...(ci && ciFiles(ci)) }
}

/** Path inside the project → content, beside the manifests of an installation. */
export function liveTemplates(ci: CiSettings | undefined): Readonly<Record<string, string>> {
  return { ...(ci && ciFiles(ci)), '.env.example': environment, 'policies/examples.yaml': policyExamples }
}
