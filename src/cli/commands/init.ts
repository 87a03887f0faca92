// `svcsync init`: a project to begin with, which plans against the embedded platform at once.
import { relative, resolve } from 'node:path'
import { cwd } from 'node:process'
import { neutralise } from '../../render/index.ts'
import { type WrittenProject, writeProject } from '../../scaffold/index.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'

export interface InitOptions {
  readonly color: boolean
  readonly quiet?: boolean
}

export async function initCommand(folder: string | undefined, options: InitOptions): Promise<number> {
  const console = openConsole(options)
  const dir = resolve(folder ?? '.')
  const project = writeProject(dir)
  await console.result(filesAsText(project))
  console.note(nextSteps(dir, project))
  return exitCodes.done
}

function filesAsText({ written, left }: WrittenProject): string {
  return [
    ...written.map((file) => `written  ${file}`),
    ...left.map((file) => `left     ${file} (it was there already)`),
    `${written.length} files written, ${left.length} left as they were.`,
  ].join('\n')
}

function nextSteps(dir: string, { left, envIsExposed }: WrittenProject): string {
  const way = relative(cwd(), dir)
  const lines = [
    ...(envIsExposed ? ['Add `.env` to .gitignore: it will hold credentials.', ''] : []),
    ...(left.some((file) => file.startsWith('manifests/'))
      ? ['Some manifests were there already: `svcsync validate` says whether all fit together.', '']
      : []),
    'Next, against the embedded platform:',
    '',
    ...(way === '' ? [] : [`  cd ${quoted(neutralise(way))}`]),
    '  cp .env.example .env',
    '  set -a; . ./.env; set +a',
    '  svcsync emulator --tenant tenant.yaml --port 4010 &',
    '  svcsync validate',
    '  svcsync plan',
    '  svcsync apply',
    '',
    'Then put your own installation under `targets` in svcsync.yaml, and your own objects in manifests/.',
    'The workflows in .github want svcsync in package.json: npm install --save-dev --save-exact svcsync',
  ]
  return lines.join('\n')
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
