// The commands that talk to a platform without a plan.

import { InvalidArgumentError } from 'commander'
import { forTargets } from '../planning/for-targets.ts'
import {
  choice,
  command,
  flag,
  optional,
  parsed,
  preset,
  repeatable,
  required,
  text,
  valued,
} from '../program/command.ts'
import {
  apiVersion,
  connection,
  dataFormats,
  format,
  ofPlans,
  ofTarget,
  output,
  overTargets,
  positiveInteger,
  projectDurationMs,
  variables,
  wireName,
} from '../program/options.ts'

const confirm = { ...ofPlans.confirm, does: 'continue only with this target, without a question' }
const document = "the installation's OpenAPI document, a file or an address"

export const doctor = {
  ...ofTarget,
  ...overTargets,
  var: variables(),
  format: format(dataFormats),
  ...output(),
  ...connection,
  for: choice('<command>', 'purpose of the application: `apply` needs scopes to write, `plan` none', ['plan', 'apply']),
  openapi: text('<document>', `check the interface by ${document}`),
}

export const wireNames = {
  write: flag('write them into `wireNames` of the target'),
  name: wireName('a name that you know, besides those of the document'),
  ...ofTarget,
  apiVersion: apiVersion('default: of the target, else 6.0'),
  caFile: connection.caFile,
  format: format(dataFormats),
  ...output(),
}

export const api = {
  list: valued<string>('[word]', 'list the endpoints, with their scopes'),
  query: repeatable('<name=value>', 'query parameter'),
  field: repeatable('<name=value>', 'field of the body; `name:=value` for JSON other than text'),
  input: text('<file>', 'the body, as JSON; `-`: stdin'),
  output: text('<file>', 'write the answer into a file, byte for byte'),
  paginate: flag('read all pages of a list'),
  dryRun: flag('show the request, and send nothing'),
  yes: flag('do not ask before a write; replace the file of --output', { short: 'y' }),
  confirm,
  ...ofTarget,
  ...output(),
  ...connection,
}

export const locate = { ...ofTarget, format: format(dataFormats), ...output(), ...connection }

export const importing = {
  config: text('<file>', 'what to import of it, and what to overwrite (YAML)'),
  init: text('<file>', 'write a configuration of all fields that adds what is new'),
  session: text('<id>', 'continue a session with the same file and chunks'),
  chunkSize: preset('<n>', 'size of a chunk in MB', 4, { parse: positiveInteger }),
  timeout: parsed('<time>', 'how long to wait for its end (default: 1h)', projectDurationMs),
  logs: text('<file>', "write the platform's log into a file"),
  check: flag('check the configuration, and send nothing'),
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the option, and nothing awaits a table
  then: choice('<command>', 'run afterwards: `plan` shows what it changed, `apply` reverts that', ['plan', 'apply']),
  before: text('<file>', 'a plan from before the import: `--then plan` shows the changes since then'),
  yes: ofPlans.yes,
  confirm,
  ...ofTarget,
  format: format(dataFormats),
  ...output(),
  ...connection,
}

const milliseconds = (does: string) => preset('<time>', does, 0, { parse: durationMs })
export const emulator = {
  tenant: text('<file>', 'starting state'),
  state: text('<file>', 'file that keeps the state between runs'),
  port: preset('<n>', 'port on the loopback; 0: any free one', 0, { parse: portNumber }),
  syncDelay: milliseconds('how long users and groups take to synchronise'),
  latency: milliseconds('how long every answer takes'),
  color: output().color,
  quiet: output('the address').quiet,
}

export const ofPlatform = {
  doctor: command({
    does: 'check whether svcsync can work here, and tell what to do; writes nothing',
    options: doctor,
    examples: [['svcsync doctor'], ['svcsync doctor --target prod --for plan', 'of an application that only reads']],
    load: async () => forTargets('doctor', (await import('./platform/doctor.ts')).doctorCommand),
  }),
  'wire-names': command({
    does: "find an installation's own names in its OpenAPI document",
    args: { document: optional('file or address, JSON or YAML; none with --name alone') },
    options: wireNames,
    examples: [
      ['svcsync wire-names https://svc.example.com/swagger.json'],
      ['svcsync wire-names openapi.yaml --target prod --write', 'into the project file'],
      ['svcsync wire-names --name CrmSuiteB=Dynamo --write', 'one that you know'],
    ],
    load: async () => (await import('./platform/wire-names.ts')).wireNamesCommand,
  }),
  api: command({
    does: 'send one request to any endpoint',
    args: {
      method: optional('GET, POST, PATCH, DELETE (default: GET)'),
      path: optional('below `/api/data/v6.0`, or with that'),
    },
    options: api,
    exits: {
      partial: 'the answer to a write was lost: it may have succeeded',
      refused: 'nothing was written: the platform refused it, or nobody agreed',
      notConverged: 'the platform failed',
      interrupted: true,
    },
    examples: [
      ['svcsync api GET /admin/users --paginate'],
      ['svcsync api --list attachments', 'endpoints, with their scopes'],
      ['svcsync api PATCH /admin/user --query svcId=ada --field jobTitle=CTO --dry-run'],
    ],
    load: async () => (await import('./platform/api.ts')).apiCommand,
  }),
  locate: command({
    does: 'print a manifest for an address of the browser',
    args: { url: required('the address') },
    options: locate,
    examples: [['svcsync locate https://svc.example.com/db/1/app/12']],
    load: async () => (await import('./platform/locate.ts')).locateCommand,
  }),
  import: command({
    does: 'import a package of configuration, and report its end',
    args: { file: optional('the package; none with --init') },
    options: importing,
    exits: {
      partial: 'the platform reports errors',
      refused: true,
      notConverged: 'how the import ended is unknown',
      interrupted: true,
    },
    examples: [
      ['svcsync import --init import.yaml', 'a file to begin with'],
      ['svcsync import a.pkg --config import.yaml --check', 'sends nothing'],
      ['svcsync import a.pkg --config import.yaml --then plan', 'show what it changed'],
    ],
    load: async () => (await import('./platform/import.ts')).importCommand,
  }),
  emulator: command({
    does: 'run the embedded platform',
    options: emulator,
    examples: [['svcsync emulator --tenant tenant.yaml --port 4010']],
    load: async () => (await import('./platform/emulator.ts')).emulatorCommand,
  }),
}

function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('Write a port from 0 to 65535.')
  return value
}

/** A length of time: `250ms`, `3s`, `2m`, or milliseconds. */
function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Write a length of time, e.g. 250ms, 3s or 2m.')
  const factor = match[2] === 'm' ? 60_000 : match[2] === 's' ? 1000 : 1
  return Math.round(Number(match[1]) * factor)
}
