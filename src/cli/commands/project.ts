// The commands about the files of a project.
import { forgeNames } from '@svcsync/forge/forge-name.ts'
import { InvalidArgumentError } from 'commander'
import type { Values } from '../program/command.ts'
import { choice, command, flag, many, optional, parsed, required, text } from '../program/command.ts'
import { formatsOf } from '../program/formats.ts'
import {
  apiVersion,
  connection,
  dataFormats,
  format,
  ofTarget,
  ofTargets,
  output,
  overTargets,
  positiveInteger,
  project,
  reading,
  target,
  variables,
  wireName,
} from '../program/options.ts'

/** Options of an export: how much of an object is written. */
const extents = (when = '') => ({
  complete: flag(`${when}write empty fields, so that they are managed`),
  sparse: {
    ...flag(`${when}leave out empty lists and levels: they are not managed`),
    conflicts: ['complete'],
  },
})

const everyTarget = { project, target: target('only this target (default: all)'), var: variables() }

export const validate = {
  ...everyTarget,
  ...{ ...ofTargets, target: { ...ofTargets.target, does: 'only this target (default: all)' } },
  format: format(formatsOf('problems')),
  ...output(),
  watch: flag('stay, and validate again after each change of a file'),
  strict: flag('count warnings as errors'),
}

const testing = { project, target: target('target, if the project file asks for one'), format: format(dataFormats) }
const { color, quiet, verbose } = output()

export const policies = { ...testing, color, quiet }

export const listing = {
  project,
  ...{ ...ofTargets, target: { ...ofTargets.target, does: 'only this target (default: all)' } },
  shard: overTargets.shard,
  shards: parsed('<n>', 'share the targets out among so many jobs', positiveInteger),
  format: format(['text', 'json', 'github-matrix', 'argo'], 'for people and programs, or the jobs of an engine'),
  ...output(),
}

export const status = {
  ...everyTarget,
  ...{ ...ofTargets, target: { ...ofTargets.target, does: 'only this target (default: all)' } },
  format: format([...dataFormats, 'html']),
  ...output(),
}

export const fmt = {
  check: flag('write nothing; exit with 1 if a file would change'),
  diff: flag('the same, and show what would change'),
  cache: flag('remember canonical files in .svcsync/cache, and skip them'),
  ...{ ...testing, color, verbose },
}

export const exporting = {
  ...ofTarget,
  ...reading,
  ...output(),
  ...extents(),
  missing: flag('export only undeclared objects; into a folder, as new files beside those there'),
  with: choice('<what>', 'add comments: business entities, and who has privileges in each', ['entities']),
  var: variables('with --missing: '),
  force: flag('replace files that exist'),
}

const live = 'with --from-live: '
const { concurrency, caFile } = connection
const init = {
  fromLive: flag('write the manifests of an installation as it is now, instead of the example'),
  target: target(
    `${live}name of the target (default: prod); if there is a project, the target is added to it; --ci: only this one`,
  ),
  baseUrl: text('<url>', `${live}its address (default: SVCSYNC_BASE_URL)`),
  authUrl: text('<url>', `${live}address that issues tokens (default: the same)`),
  apiVersion: apiVersion(`${live}default 6.0`),
  database: parsed('<name=id>', `${live}a database, and its name in manifests (repeatable)`, database),
  wireName: wireName(`${live}see wireNames`),
  openapi: text('<document>', `${live}take wireNames from the installation's document: see wire-names`),
  ...extents(live),
  concurrency: { ...concurrency, does: `${live}requests in flight` },
  caFile: { ...caFile, does: `${live}trust these certificates, too (PEM)` },
  ci: choice('<forge>', 'pipelines for this forge; in a project nothing else', forgeNames),
  ledger: flag('with --ci: also a ledger'),
  shards: parsed('<n>', 'with --ci github: so many jobs share the targets', positiveInteger),
  ...output('the list of files'),
}
export type InitOptions = Values<typeof init>

export const ofProject = {
  validate: command({
    does: 'check everything that needs no platform',
    options: validate,
    examples: [
      ['svcsync validate', 'all targets'],
      ['svcsync validate --watch', 'again after each change'],
      ['svcsync validate --strict --format github', 'beside lines of a pull request'],
    ],
    load: async () => (await import('./project/validate.ts')).validateCommand,
  }),
  policies: command({
    does: 'run the tests of policies, and list what they reach',
    args: { what: required('what to do', ['test']) },
    options: policies,
    examples: [['svcsync policies test', '`validate` runs them, too']],
    load: async () => (await import('./project/policies.ts')).policiesCommand,
  }),
  status: command({
    does: 'show the applied commit of each target, and pending changes; asks no platform',
    options: status,
    examples: [
      ['svcsync status', 'all targets'],
      ['svcsync status --target prod --format json'],
      ['svcsync status --format html > status.html'],
    ],
    load: async () => (await import('./project/status.ts')).statusCommand,
  }),
  targets: command({
    does: 'list the targets, or the jobs that run over them; asks nobody',
    options: listing,
    examples: [
      ['svcsync targets --labels ring=canary'],
      ['svcsync targets --format github-matrix', 'a job for each target'],
      ['svcsync targets --format argo --shards 8', 'a job for each shard'],
    ],
    load: async () => (await import('./project/targets.ts')).targetsCommand,
  }),
  export: command({
    does: 'write live objects as manifests',
    args: { dir: optional('folder for the files (default: one stream to stdout)') },
    options: exporting,
    exits: { interrupted: true },
    examples: [
      ['svcsync export live', 'into the folder `live`'],
      ['svcsync export --only "process/main/Purchasing/**"', 'a part, to stdout'],
      ['svcsync export --missing manifests', 'only undeclared objects'],
    ],
    load: async () => (await import('./project/export.ts')).exportCommand,
  }),
  init: command({
    does: 'write a project: an example, or what an installation has now; or add a target',
    args: { dir: optional('its folder (default: this one)') },
    options: init,
    exits: { interrupted: true },
    examples: [
      ['svcsync init our-platform', 'an example, in a new folder'],
      ['svcsync init --from-live --base-url https://svc.example.com'],
      ['svcsync init --from-live --target eu --base-url https://eu.example.com'],
      ['svcsync init --ci gitlab --ledger', 'pipelines for the project in this folder'],
    ],
    load: async () => (await import('./project/init.ts')).initCommand,
  }),
  fmt: command({
    does: 'bring manifests and policies into one layout',
    args: { paths: many('files, folders, globs (default: the manifests and policies of the project)') },
    options: fmt,
    examples: [
      ['svcsync fmt', 'all files of the project'],
      ['svcsync fmt --check', 'for a pipeline'],
      ['svcsync fmt --diff manifests/groups.yaml'],
    ],
    load: async () => (await import('./project/fmt.ts')).fmtCommand,
  }),
}

function database(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const match = /^([A-Za-z][\w-]*)=([1-9]\d{0,8})$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Write NAME=ID, for instance main=1.')
  const id = Number(match[2])
  if (Object.values(before).includes(id)) throw new InvalidArgumentError(`Database ${id} has a name already.`)
  return { ...before, [match[1] as string]: id }
}
