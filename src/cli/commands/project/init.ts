// `svcsync init`: a project to begin with, which plans against the embedded platform at once.
import { resolve } from 'node:path'
import { platform } from 'node:process'
import { refuseUnwritable } from '@svcsync/scaffold/write-new-files.ts'
import { exampleFiles, projectFileIn, writeProject } from '@svcsync/scaffold/write-project.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import type { InitOptions } from '../project.ts'
import {
  cdCommand,
  ciInstallSteps,
  ciOfNew,
  filesAsText,
  idleOption,
  refuseWithoutCi,
  repositoryAbove,
  withLedger,
} from './init-options.ts'

const ofLive: readonly (keyof InitOptions)[] = [
  ...(['baseUrl', 'authUrl', 'apiVersion', 'database', 'wireName'] as const),
  ...(['openapi', 'complete', 'sparse', 'concurrency', 'caFile'] as const),
]

export async function initCommand(options: InitOptions, console: Console, args: { readonly dir?: string }) {
  if (options.fromLive) return (await import('./init-from-live.ts')).initFromLive(options, console, args)
  const { dir: folder } = args
  refuseIdleOptions(options)
  const dir = resolve(folder ?? '.')
  const project = options.ci === undefined ? undefined : projectFileIn(dir)
  if (options.ci !== undefined && project !== undefined)
    return (await import('./init-ci.ts')).initCi(project, options.ci, options, console)
  if (options.target !== undefined) throw idleOption(['target'])
  refuseUnwritable(dir, folder ?? '.', 'SVC2031')
  const ci = ciOfNew('prod', options)
  const isBelow = repositoryAbove(dir) !== undefined
  const files = withLedger(exampleFiles(isBelow ? undefined : ci), options)
  const written = await writeUnlessInterrupted(console, (signal) => writeProject(dir, { files, signal }))
  if (written === undefined) return exitCodes.interrupted
  await console.result(filesAsText(written))
  console.note(nextSteps(dir, written.left, written.envIsExposed, isBelow))
  return isBelow ? (await import('./init-ci.ts')).pipelinesAbove(dir, 'prod', options, console) : exitCodes.done
}

/** As bash and its kin take them, or PowerShell. */
export function intoEmulator(system: NodeJS.Platform): readonly string[] {
  const emulator = 'npx svcsync emulator --tenant tenant.yaml --port 4010'
  if (system !== 'win32') return ['cp .env.example .env', 'set -a; . ./.env; set +a', `${emulator} &`]
  const load = `if ($_ -match '^(\\w+)=(.*)$') { Set-Item "env:$($Matches[1])" $Matches[2] }`
  return ['cp .env.example .env', `Get-Content .env | ForEach-Object { ${load} }`, `${emulator}  # in a second window`]
}

function nextSteps(dir: string, left: readonly string[], envIsExposed: boolean, isBelow: boolean): string {
  const lines = [
    ...(envIsExposed ? ['Add `.env` to .gitignore: it will hold credentials.', ''] : []),
    ...(left.some((file) => file.startsWith('manifests/'))
      ? ['Some manifests were there already: `npx svcsync validate` checks that all fit together.', '']
      : []),
    'Next, against the embedded platform:',
    '',
    ...cdCommand(dir),
    ...intoEmulator(platform).map((line) => `  ${line}`),
    '  npx svcsync validate',
    '  npx svcsync plan',
    '  npx svcsync apply',
    '',
    'Then put your own installation under `targets` in svcsync.yaml, and your own objects in manifests/.',
    ...(isBelow ? [] : ciInstallSteps(dir)),
  ]
  return lines.join('\n')
}

function refuseIdleOptions(options: InitOptions): void {
  const given = ofLive.filter((key) => options[key] !== undefined)
  if (given.length > 0) throw idleOption(given)
  refuseWithoutCi(options)
}
