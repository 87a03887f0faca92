// `svcsync init --from-live --target NAME` beside a project: one more target, with its installation as its manifests.
import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cwd } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { targetBlock } from '@svcsync/export/project-file.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { writeAtomically } from '@svcsync/files/write-atomically.ts'
import { coversFile } from '@svcsync/manifests/find-manifest-files.ts'
import { addTarget } from '@svcsync/openapi/add-target.ts'
import type { Project } from '@svcsync/project/project.ts'
import { writeNewFiles } from '@svcsync/scaffold/write-new-files.ts'
import { parseForCommand } from '../../planning/resolve-run.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import type { InitOptions } from '../project.ts'
import { manifestsOf, noteLeftOut, runExport, schemaPath } from './export.ts'
import { cdCommand } from './init-options.ts'

/** `file`: the project file; `read`: asks for the installation, once the project can take the target. */
export async function addTargetFromLive(
  file: string,
  name: string,
  read: () => Promise<Pick<Project, 'target' | 'settings' | 'kinds'>>,
  options: InitOptions,
  console: Console,
) {
  const dir = dirname(file)
  const folder = `targets/${name}`
  const text = textOf(file)
  refuseInvalid(file, name, folder)
  // Asked once before anything is read: a file that cannot be added to is no reason to read an installation.
  insertTarget(file, text, name, `${name}:\n  manifests: [${folder}]\n`)
  const made = await read()
  const { target } = made
  const manifests = join(dir, folder)
  const schemaFor = (path: string): string => schemaPath(dirname(join(manifests, path)), dir)
  const exported = await runExport(made, { ...options, only: [], schemaFor }, console)
  const files = manifestsOf(exported)
  const credentials = variablesOf(name)
  const { name: _, authUrl, ...rest } = target
  const own = { target: name, authUrl, external: exported.external, manifests: folder, credentials }
  const block = targetBlock({ ...rest, ...own })
  const whole = insertTarget(file, text, name, block)
  const written = await writeUnlessInterrupted(console, async (signal) => {
    const done = await writeNewFiles(manifests, files, { existing: 'refuse', code: 'SVC2031', signal })
    // The project file last: until then, no target reads the rest.
    if (done !== undefined) writeAtomically(realpathSync(file), whole)
    return done
  })
  if (written === undefined) return exitCodes.interrupted
  const lines = [...files.map((each) => `written  ${folder}/${each.file}`).sort(), `edited   ${shownPath(file, cwd())}`]
  await console.result(lines.join('\n'))
  const code = noteLeftOut(exported, target, console)
  console.note(
    [
      '',
      'Next, with the credentials of this installation:',
      '',
      ...cdCommand(dir),
      `  export ${credentials.id}=… ${credentials.secret}=…`,
      `  npx svcsync plan --target ${shellWord(name)}`,
    ].join('\n'),
  )
  return code
}

/** Each target has its own: one variable for all would send the secret of one to the others. */
function variablesOf(name: string): { readonly id: string; readonly secret: string } {
  const prefix = `SVCSYNC_${name.toUpperCase().replaceAll('-', '_')}`
  return { id: `${prefix}_CLIENT_ID`, secret: `${prefix}_CLIENT_SECRET` }
}

function textOf(file: string): string {
  const text = readBoundedText(file, 16)
  if (!isUnread(text)) return text
  throw new OperatorError('SVC2031', `${shownPath(file, cwd())} cannot be read`, { hint: 'Nothing was written.' })
}

function insertTarget(file: string, text: string, name: string, block: string): string {
  const whole = addTarget(text, name, block)
  if (whole !== undefined) return whole
  throw new OperatorError('SVC2031', `svcsync cannot add a target to ${shownPath(file, cwd())}`, {
    hint: 'Nothing was written. It takes `targets:` with one target a block, without braces, aliases or anchors.',
  })
}

function refuseInvalid(file: string, name: string, folder: string): void {
  const { root, from } = parseForCommand(file)
  const targets = isJsonObject(root.targets) ? root.targets : {}
  if (Object.hasOwn(targets, name))
    throw new OperatorError('SVC2030', `The project has a target \`${name}\` already`, {
      hint: 'Use another name, or complete the target: `svcsync export --missing` adds what its manifests lack.',
    })
  const dir = dirname(file)
  if (filesIn(join(dir, folder)) > 0)
    throw new OperatorError('SVC2040', `The folder already has \`${folder}\``, {
      hint: 'Nothing was written. Move it away, or choose another name for the target.',
    })
  const lists: readonly (Json | undefined)[] = [
    root.manifests,
    [...from],
    ...Object.values(targets).flatMap((each) => (isJsonObject(each) ? [each.manifests, each.overrides] : [])),
  ]
  const patterns = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter((each) => typeof each === 'string')
  if (!coversFile(dir, patterns, join(dir, folder, 'users.yaml'))) return
  throw new OperatorError('SVC2040', `Other targets would read the manifests of \`${name}\` in \`${folder}\``, {
    hint: 'Nothing was written. Name folders under `manifests` that do not hold `targets`.',
  })
}

function filesIn(dir: string): number {
  try {
    return readdirSync(dir).length
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'ENOENT' ? 0 : 1
  }
}
