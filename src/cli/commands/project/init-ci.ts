// `svcsync init --ci`: adds workflows to an existing project, and at most the line of a ledger.
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { cwd } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import { byCount, OperatorError } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { writeAtomically } from '@svcsync/files/write-atomically.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { addLedger } from '@svcsync/openapi/add-target.ts'
import { type NamedTarget, namedTargets, selectTargets } from '@svcsync/project/select-targets.ts'
import { ciNeeds, isLocal } from '@svcsync/runs/open/ci-needs.ts'
import { type CiSettings, ciFiles, entryFiles, readingName } from '@svcsync/scaffold/ci-files.ts'
import { exists, refuseExisting, writeNewFiles } from '@svcsync/scaffold/write-new-files.ts'
import { parseForCommand } from '../../planning/resolve-run.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { writeUnlessInterrupted } from '../../terminal/interrupts.ts'
import type { InitOptions } from '../project.ts'
import { ciInstallSteps, filesAsText, initMisuse, realPath, repositoryAbove } from './init-options.ts'
import { mostJobs } from './targets.ts'

/** `file`: the project file. */
export async function initCi(file: string, forge: CiSettings['forge'], options: InitOptions, console: Console) {
  const dir = dirname(file)
  const parsed = parseForCommand(file)
  const { root } = parsed
  const { targets, local } = targetsOf(root, options)
  const ledger = root.ledger !== undefined || options.ledger === true
  const needs = ciNeeds(parsed, targets, { project: file, cwd: cwd(), kinds, nowMs: Date.now() })
  const names = targets.map(({ name }) => name)
  const { promotion, paths, ...rest } = needs
  const top = repositoryAbove(dir)
  const settings: CiSettings = {
    ...rest,
    ...{ forge, targets: names, ledger, shards: options.shards, promotion: ledger ? promotion : undefined },
    isPart: local.length > 0,
    // A promotion orders targets by itself.
    inWaves: root.waves !== undefined && names.length > 1 && !(ledger && promotion !== undefined),
    below: top === undefined ? undefined : placeBelow(top, file, paths),
  }
  refuseTooMany(settings, root)
  const entry = entryFiles[forge]
  const folder = top ?? dir
  const hasEntry = entry !== undefined && exists(join(folder, entry))
  const all = Object.entries(ciFiles(settings)).map(([path, text]) => ({ file: path, text }))
  const files = all.filter((each) => !(hasEntry && each.file === entry))
  refuseExisting(folder, files, 'Nothing was written. Move them away, and run the command again; then compare the two.')
  const edited = ledger && root.ledger === undefined ? withLedger(file) : undefined
  const done = await writeUnlessInterrupted(console, async (signal) => {
    const written = await writeNewFiles(folder, files, { existing: 'refuse', code: 'SVC2031', signal })
    if (written !== undefined && edited !== undefined) writeAtomically(realpathSync(file), edited)
    return written
  })
  if (done === undefined) return exitCodes.interrupted
  const lines = edited === undefined ? [] : [`edited   ${shownPath(file, cwd())}`]
  const written = [...done.written].sort().map((each) => (top === undefined ? each : shownPath(join(top, each), cwd())))
  await console.result([filesAsText({ written, left: [] }), ...lines].join('\n'))
  const own = hasEntry ? all.find((each) => each.file === entry) : undefined
  console.note(
    [
      '',
      ...(local.length === 0 ? [] : [`Left out, since only this machine has their addresses: ${namesOf(local)}.`, '']),
      ...(own === undefined ? [] : [`Add to your ${own.file}:`, '', own.text.trimEnd().replace(/^/gm, '  '), '']),
      ...(root.waves !== undefined && names.length > 1 && !settings.inWaves ? [withoutWaves, ''] : []),
      ...listSettings(settings, needs.hosts),
      ...ciInstallSteps(join(folder, settings.below?.modules ?? '')),
    ].join('\n'),
  )
  return exitCodes.done
}

/** Names the pipelines of a new project below the top of a repository, where svcsync writes nothing unasked. */
export function pipelinesAbove(dir: string, target: string, options: InitOptions, console: Console) {
  if (options.ci !== undefined) return initCi(join(dir, 'svcsync.yaml'), options.ci, { ...options, target }, console)
  const way = relative(cwd(), dir)
  const command = ['svcsync init', ...(way === '' ? [] : [shellWord(way)]), '--ci github'].join(' ')
  console.note(`\nForges read pipelines at the top of the repository: \`${command}\` writes them there.`)
  return exitCodes.done
}

const namesOf = (targets: readonly NamedTarget[]): string => targets.map(({ name }) => name).join(', ')

const withoutWaves =
  'These pipelines apply each target alone, and know no waves: for those, run `svcsync apply --all-targets` in one job.'

/** `paths`: absolute, of all that a plan depends on. Throws an OperatorError for a name that no pipeline takes. */
function placeBelow(top: string, file: string, paths: readonly string[]): NonNullable<CiSettings['below']> {
  const from = (path: string): string => relative(top, path).split(sep).join('/')
  const dir = realpathSync(dirname(file))
  const [own, project] = [from(dir), from(join(dir, basename(file)))]
  let modules = dir
  while (modules !== top && !exists(join(modules, 'package.json'))) modules = dirname(modules)
  const others = paths
    .map((path) => from(join(realPath(dirname(path)), basename(path))))
    .filter((path) => path !== '' && !path.startsWith('../') && !path.startsWith(`${own}/`) && path !== own)
  const isFolder = (path: string) => statSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() === true
  const files = [...others.filter((path) => !isFolder(path)), ...(modules === top ? ['package-lock.json'] : [])]
  const place = { project, modules: from(modules), folders: [own, ...others.filter(isFolder)], files }
  const odd = [project, place.modules, ...place.folders, ...files].find((path) => !/^[\w.][\w./-]*$|^$/.test(path))
  if (odd === undefined) return place
  throw initMisuse(`\`${odd}\` cannot be a path in a pipeline: it takes letters, digits, \`.\`, \`_\` and \`-\``)
}

const applications = ['an API application that can read and nothing else', 'an application that may write'] as const

export function listSettings(settings: CiSettings, hosts: readonly string[]): readonly string[] {
  const { forge, credentials, addresses, variables, ledger } = settings
  const { repository, environments, plain, ofLedger } = places(settings)[forge]
  const usual = ['SVCSYNC_CLIENT_ID', 'SVCSYNC_CLIENT_SECRET']
  const mayName = [...credentials.filter((name) => !usual.includes(name)), ...addresses, ...variables.writing]
  // A variable holds an address that nobody knows here.
  const allowed = [...hosts, ...(addresses.length > 0 || hosts.length === 0 ? ['…'] : [])]
  const row = (names: readonly string[], why: string) => `  ${names.join(', ')}${why === '' ? '' : ` (${why})`}`
  return [
    `Set as ${repository}:`,
    row(credentials.map(readingName), applications[0]),
    ...(variables.reading.length === 0 ? [] : [row(variables.reading, 'fields that plans compare name them')]),
    `Set as ${environments}:`,
    row(credentials, applications[1]),
    ...(variables.writing.length === 0 ? [] : [row(variables.writing, 'manifests name them')]),
    `Set as ${plain}:`,
    row([`SVCSYNC_ALLOW_HOSTS=${allowed.join(',')}`], 'nothing else gets credentials'),
    // Unset, it allows nothing: forges take no empty variable.
    ...(mayName.length === 0
      ? []
      : [row([`SVCSYNC_ALLOW_ENV=${mayName.join(',')}`], 'no file may name another variable')]),
    ...(addresses.length === 0 ? [] : [row(addresses, 'addresses')]),
    ...(ledger ? ['', ofLedger] : []),
    '',
  ]
}

function places({ promotion }: CiSettings) {
  const own = promotion === undefined ? '' : `\`${promotion.from}\`, `
  const github = `secrets of the environments ${own}\`production\` and \`due\`, limited to the branch main`
  return {
    github: {
      repository: 'secrets of the repository',
      environments:
        `${github}; \`production\` with required ` +
        `reviewers${promotion === undefined ? '' : ', and an environment `soak` with a wait timer'}`,
      plain: 'variables of the repository',
      ofLedger:
        "The job's token pushes the ledger: `contents: write` in the jobs that apply, and in drift for its history.",
    },
    gitlab: {
      repository: 'masked variables of the project, with GITLAB_TOKEN and SVCSYNC_ACCEPT_TOKEN as ci/svcsync.yml says',
      environments: 'masked variables for the protected environments `production` and `due` alone',
      plain: 'variables of the project',
      ofLedger:
        'SVCSYNC_LEDGER_TOKEN pushes the ledger: role Developer, scope `write_repository`, for those environments.',
    },
    azure: {
      repository: 'secret variables of the pipeline',
      environments: 'secret variables of the pipeline; give the environment `production` approvals, and `due` none',
      plain: 'variables of the pipeline',
      ofLedger:
        'The ledger is pushed by the build service: it needs "Contribute" and "Create branch" on the repository.',
    },
  } as const
}

function targetsOf(root: JsonObject, { target }: InitOptions) {
  const all = selectTargets(namedTargets(root), {
    ...{ names: target === undefined ? [] : [target], all: target === undefined, globs: [], labels: [] },
  })
  const local = all.filter((each) => isLocal(root, each))
  const targets = all.filter((each) => !local.includes(each))
  if (targets.length === 0) {
    const named =
      `${quoted(local.map(({ name }) => name))} ` + `${byCount(local.length, 'has an address', 'have addresses')}`
    throw initMisuse(`A pipeline reaches none of the targets: ${named} of this machine`)
  }
  const odd = targets.find(({ name }) => !/^[A-Za-z][\w-]*$/.test(name))
  if (odd !== undefined)
    throw initMisuse(`\`${odd.name}\` cannot be a name in a pipeline: it takes letters, digits, \`_\` and \`-\``)
  return { targets, local }
}

/** Jobs that one matrix may have. Azure has no matrix here, and as many jobs as agents. */
const mostIn: Readonly<Record<CiSettings['forge'], number>> = {
  github: mostJobs,
  gitlab: 200,
  azure: Number.POSITIVE_INFINITY,
}
const byHand = 'GitLab has `parallel: 8` with `--all-targets --shard $CI_NODE_INDEX/$CI_NODE_TOTAL`.'

function refuseTooMany({ forge, targets, shards, inWaves }: CiSettings, { waves }: JsonObject): void {
  if (shards !== undefined && forge !== 'github') throw initMisuse('`--shards` is for GitHub', byHand)
  if (shards !== undefined && waves !== undefined)
    throw initMisuse(
      'A shard is of one wave, and this project has `waves`',
      'Leave `--shards` out: one job applies wave after wave.',
    )
  const jobs = inWaves ? 1 : (shards ?? targets.length)
  if (jobs <= mostIn[forge]) return
  const name = forge === 'github' ? 'GitHub' : 'GitLab'
  throw new OperatorError('SVC2324', `A matrix of ${name} has at most ${mostIn[forge]} jobs, and these are ${jobs}`, {
    hint: forge === 'github' ? 'Share the targets out: `svcsync init --ci github --shards 8`.' : byHand,
  })
}

function withLedger(file: string): string {
  const text = readBoundedText(file, 16)
  const edited = isUnread(text) ? undefined : addLedger(text)
  if (edited !== undefined) return edited
  throw new OperatorError('SVC2031', `svcsync cannot add a ledger to ${shownPath(file, cwd())}`, {
    hint: 'Nothing was written. Write `ledger: { remote: origin }` into it, and run the command again.',
  })
}
