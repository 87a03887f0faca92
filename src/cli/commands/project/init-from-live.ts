// `svcsync init --from-live`: a project that says what an installation is like now, so that its first plan is empty.
import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { env } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'
import { byCount, inCode, OperatorError } from '@svcsync/errors/index.ts'
import { projectFile } from '@svcsync/export/project-file.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import type { Project, Target } from '@svcsync/project/project.ts'
import { refuseUnwritable } from '@svcsync/scaffold/write-new-files.ts'
import { liveTemplates, projectFileIn, refuseProject, writeProject } from '@svcsync/scaffold/write-project.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import { findNames, isUncertain, wholeTableOf } from '../platform/wire-names.ts'
import type { InitOptions } from '../project.ts'
import { manifestsOf, noteLeftOut, runExport, schemaPath } from './export.ts'
import { listSettings, pipelinesAbove } from './init-ci.ts'
import {
  cdCommand,
  ciInstallSteps,
  ciOfNew,
  filesAsText,
  initMisuse,
  refuseWithoutCi,
  repositoryAbove,
  withLedger,
} from './init-options.ts'

export async function initFromLive(options: InitOptions, console: Console, { dir: folder }: { readonly dir?: string }) {
  const dir = resolve(folder ?? '.')
  const existing = projectFileIn(dir)
  refuseWithoutCi(options)
  if (existing !== undefined && options.target !== undefined) {
    if (options.ci !== undefined)
      throw initMisuse('`--ci` is for a project as it is', 'Add the target first: leave out `--ci`.')
    const { addTargetFromLive } = await import('./init-target.ts')
    const read = () => newTarget(options, console)
    return addTargetFromLive(existing, targetName(options), read, options, console)
  }
  refuseProject(dir)
  refuseUnwritable(dir, folder ?? '.', 'SVC2031')
  refuseManifests(dir)
  const made = await newTarget(options, console)
  const { target } = made
  const manifests = join(dir, 'manifests')
  const schemaFor = (file: string): string => schemaPath(dirname(join(manifests, file)), dir)
  const exported = await runExport(made, { ...options, only: [], schemaFor }, console)
  const { name, authUrl, ...rest } = target
  const ci = ciOfNew(name, options)
  const isBelow = repositoryAbove(dir) !== undefined
  const schema = 'node_modules/svcsync/schemas/project.schema.json'
  const files = {
    ...liveTemplates(isBelow ? undefined : ci),
    ...Object.fromEntries(manifestsOf(exported).map(({ file, text }) => [`manifests/${file}`, text])),
    'svcsync.yaml': projectFile({ ...rest, target: name, authUrl, schema, external: exported.external }),
  }
  const project = await writeUnlessInterrupted(console, (signal) =>
    writeProject(dir, { files: withLedger(files, options), signal }),
  )
  if (project === undefined) return exitCodes.interrupted
  await console.result(filesAsText(project))
  const code = noteLeftOut(exported, target, console)
  const isStrange = exported.leftOut.some(({ hint }) => hint?.includes('wireNames'))
  const hosts = new Set([target.baseUrl, target.authUrl].map((address) => new URL(address).host))
  const lines = [
    ...nextSteps(dir, project.envIsExposed, isStrange, options),
    ...(isBelow ? [] : [...listSettings(ci, [...hosts]), ...ciInstallSteps(dir)]),
  ]
  console.note(lines.join('\n'))
  return isBelow ? (await pipelinesAbove(dir, name, options, console)) || code : code
}

async function newTarget(options: InitOptions, console: Console) {
  const wireNames = await namesFor(targetOf(options), options, console)
  if (options.database === undefined)
    console.note(
      'svcsync reads database 1 as `main`: the platform lists no databases. Add others with --database NAME=ID.',
    )
  return { kinds, target: { ...targetOf(options), wireNames }, settings: settingsOf(options) }
}

function targetName(options: InitOptions): string {
  const name = options.target ?? 'prod'
  if (/^[A-Za-z][\w-]*$/.test(name)) return name
  const rule = 'The name of a target has letters, digits, `_` and `-`, and begins with a letter'
  throw initMisuse(rule, 'Write it like `--target prod`.')
}

function nextSteps(dir: string, envIsExposed: boolean, isStrange: boolean, options: InitOptions): readonly string[] {
  return [
    ...(isStrange && options.openapi === undefined
      ? [
          '',
          'The installation may only have renamed these parts. If it has an OpenAPI document, remove the',
          'folder, and run again with `--openapi FILE|URL`.',
        ]
      : []),
    ...(envIsExposed ? ['', 'Add `.env` to .gitignore: it will hold credentials.'] : []),
    '',
    'Next, with SVCSYNC_CLIENT_ID and SVCSYNC_CLIENT_SECRET still set:',
    '',
    ...cdCommand(dir),
    '  npx svcsync plan',
    '',
    ...unneededVariables(),
    'It finds no changes until a file or the platform changes.',
    '',
    ...describeCoverage(options),
    '',
    'svcsync.yaml has `prune` and `guards` in comments, and policies/examples.yaml rules to begin with.',
    '',
  ]
}

/** The target now has values that the environment had. Left there, they would be an error beside another target. */
function unneededVariables(): readonly string[] {
  const names = ['SVCSYNC_BASE_URL', 'SVCSYNC_AUTH_URL'].filter((name) => env[name])
  const unset = `unset ${names.join(' and ')}, or targets at other addresses are refused.`
  return names.length === 0 ? [] : [`The address is in svcsync.yaml now: ${unset}`, '']
}

function describeCoverage({ complete, sparse }: InitOptions): readonly string[] {
  const lists = sparse === true ? 'lists that are not empty' : 'whole lists of members and owners'
  const levels = sparse === true ? 'levels that somebody has' : 'every level of what has any privileges'
  const fields = complete === true ? 'every field' : 'every field that has a value'
  const emptyFields = complete === true ? [] : ['fields that are empty and environments that inherit (`--complete`)']
  const emptyLists = sparse === true ? ['empty lists and levels (leave out `--sparse`)'] : []
  const unwatched = [...emptyFields, ...emptyLists, 'logins and credentials, which the platform does not return']
  return [
    `Watched: ${fields}, ${lists}, ${levels}.`,
    `Not watched: ${unwatched.join('; ')}.`,
    'Only counted by each plan: objects that no manifest declares, such as those created by hand from now on, and',
    'applications, processes and form types on which nobody has a privilege.',
  ]
}

/** Existing manifests would become part of the project, and may differ from the export. */
function refuseManifests(dir: string): void {
  let files: readonly string[]
  try {
    files = readdirSync(join(dir, 'manifests'))
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return
    files = ['manifests']
  }
  if (files.length === 0) return
  throw new OperatorError('SVC2040', 'The folder already has `manifests`', {
    hint: 'Nothing was written. Name another folder: `svcsync init --from-live FOLDER`.',
  })
}

/** All that is missing is named at once. */
function targetOf(options: InitOptions): Target {
  const baseUrl = (options.baseUrl ?? env.SVCSYNC_BASE_URL ?? '').replace(/\/+$/, '')
  const { SVCSYNC_CLIENT_ID: clientId = '', SVCSYNC_CLIENT_SECRET: clientSecret = '' } = env
  const missing = [
    ...(baseUrl === '' ? ['its address (`--base-url` or `SVCSYNC_BASE_URL`)'] : []),
    ...(clientId === '' ? ['`SVCSYNC_CLIENT_ID`'] : []),
    ...(clientSecret === '' ? ['`SVCSYNC_CLIENT_SECRET`'] : []),
  ]
  if (missing.length > 0)
    throw initMisuse(
      `To read an installation svcsync needs ${missing.join(', ')}`,
      'svcsync takes credentials from the environment only, and writes none into the project.',
    )
  return {
    name: targetName(options),
    baseUrl,
    authUrl: (options.authUrl ?? (env.SVCSYNC_AUTH_URL || baseUrl)).replace(/\/+$/, ''),
    apiVersion: options.apiVersion ?? '6.0',
    clientId: new Sensitive('${env:SVCSYNC_CLIENT_ID}', clientId),
    clientSecret: new Sensitive('${env:SVCSYNC_CLIENT_SECRET}', clientSecret),
    databases: options.database ?? { main: 1 },
    variables: {},
    wireNames: options.wireName ?? {},
    allowInsecureHttp: false,
    svcIds: 'ignore-case',
  }
}

/** The names in the installation's document; the command line wins. */
async function namesFor(
  { apiVersion, name: target }: Target,
  { openapi, caFile, wireName = {} }: InitOptions,
  console: Console,
) {
  if (openapi === undefined) return wireName
  const { alignment } = await findNames(openapi, apiVersion, { caFile, name: wireName })
  const open = alignment.open.filter(isUncertain)
  // Without a key nothing could be read; of words that nobody has, nothing is missed.
  const unsafe = open.filter(({ isWord, reason }) => !isWord || reason === 'unusable')
  for (const { name, candidates } of open.filter((each) => !unsafe.includes(each))) {
    const command = ['svcsync wire-names', '--name', shellWord(`${name}=WORD`), '--write --target', target].join(' ')
    console.note(
      `The document does not tell which of ${quoted(candidates)} is ${inCode(name)}: ` +
        `objects that hold it are exported with the word there, or left out. If you know it:\n  ${command}`,
    )
  }
  if (unsafe.length > 0) {
    const names = `${byCount(unsafe.length, 'name', 'names')} of ${quoted(unsafe.map(({ name }) => name))}`
    throw new OperatorError('SVC2176', `The document leaves the ${names} open`, {
      hint: 'Nothing was written. `svcsync wire-names` shows the candidates: pass the right ones with `--wire-name`.',
    })
  }
  return { ...wholeTableOf(alignment), ...wireName }
}

function settingsOf({ concurrency }: InitOptions): Project['settings'] {
  return {
    concurrency: concurrency ?? 16,
    pageSize: 200,
    retry: { attempts: 5, maxDelayMs: 30_000 },
    sync: { timeoutMs: 120_000 },
    collections: 'exclusive',
    timeZone: 'UTC',
    identifiers: 'ignore',
    unreadable: 'skip',
    readFilesFrom: [],
  }
}
