// `svcsync init`: a project to begin with, which plans against the embedded platform at once.
import { resolve } from 'node:path'
import { byCount, OperatorError } from '@svcsync/errors/index.ts'
import { refuseUnwritable } from '@svcsync/scaffold/write-new-files.ts'
import { writeProject } from '@svcsync/scaffold/write-project.ts'
import { flagOf } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import type { InitOptions } from '../project.ts'
import { filesAsText, wayInto, wayIntoWorkflows } from './written-project-text.ts'

const ofLive: readonly (keyof InitOptions)[] = [
  ...(['target', 'baseUrl', 'authUrl', 'apiVersion', 'database', 'wireName'] as const),
  ...(['openapi', 'complete', 'sparse', 'concurrency', 'caFile'] as const),
]

export async function initCommand(options: InitOptions, console: Console, args: { readonly dir?: string }) {
  if (options.fromLive) return (await import('./init-from-live.ts')).initFromLive(options, console, args)
  const { dir: folder } = args
  refuseIdleOptions(options)
  const dir = resolve(folder ?? '.')
  refuseUnwritable(dir, folder ?? '.', 'SVC2031')
  const project = await writeUnlessInterrupted(console, (signal) => writeProject(dir, { signal }))
  if (project === undefined) return exitCodes.interrupted
  await console.result(filesAsText(project))
  console.note(nextSteps(dir, project.left, project.envIsExposed))
  return exitCodes.done
}

function nextSteps(dir: string, left: readonly string[], envIsExposed: boolean): string {
  const lines = [
    ...(envIsExposed ? ['Add `.env` to .gitignore: it will hold credentials.', ''] : []),
    ...(left.some((file) => file.startsWith('manifests/'))
      ? ['Some manifests were there already: `npx svcsync validate` checks that all fit together.', '']
      : []),
    'Next, against the embedded platform:',
    '',
    ...wayInto(dir),
    '  cp .env.example .env',
    '  set -a; . ./.env; set +a',
    '  npx svcsync emulator --tenant tenant.yaml --port 4010 &',
    '  npx svcsync validate',
    '  npx svcsync plan',
    '  npx svcsync apply',
    '',
    'Then put your own installation under `targets` in svcsync.yaml, and your own objects in manifests/.',
    ...wayIntoWorkflows(dir),
  ]
  return lines.join('\n')
}

function refuseIdleOptions(options: InitOptions): void {
  const idle = ofLive.filter((key) => options[key] !== undefined)
  if (idle.length === 0) return
  const named = idle.map((key) => `\`${flagOf(key)}\``).join(', ')
  throw new OperatorError('SVC2043', `${named} ${byCount(idle.length, 'goes', 'go')} with \`--from-live\``, {
    hint: 'Without it, `init` writes an example and reads nothing.',
  })
}
