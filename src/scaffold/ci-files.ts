// Workflows for CI, as a project needs them: templates, with the lines that hold for its targets and its ledger.
import { inlineText } from '@svcsync/core/model/yaml-text.ts'
import { InternalError } from '@svcsync/errors/index.ts'
import { ciTemplates } from './generated/templates.ts'

const ciForges = ['github', 'gitlab', 'azure'] as const
type CiForge = (typeof ciForges)[number]

/** The parts of a project that its pipelines need. Names of targets have letters, digits, `_` and `-`. */
export interface CiSettings {
  readonly forge: CiForge
  /** At least one. */
  readonly targets: readonly string[]
  readonly ledger: boolean
  /** For GitHub: the number of jobs that share the targets. */
  readonly shards?: number | undefined
  /** One job applies to all targets, wave after wave. */
  readonly inWaves?: boolean | undefined
  /** Some targets of the project are left out. */
  readonly isPart?: boolean | undefined
  /** `guards: { promotedFrom }`: what is applied to some of the targets is applied to this one before. */
  readonly promotion?: { readonly from: string; readonly to: readonly string[] } | undefined
  /** Environment variables by which the targets sign in. */
  readonly credentials: readonly string[]
  /** The variables in addresses, which are no secrets. */
  readonly addresses: readonly string[]
  /** The variables in manifests: for a plan, and for an apply. */
  readonly variables: { readonly reading: readonly string[]; readonly writing: readonly string[] }
  /** Undefined: the project is at the top of its repository. */
  readonly below?: SubfolderPaths | undefined
}

/** From the top of the repository, where forges look for pipelines. */
interface SubfolderPaths {
  /** The project file. */
  readonly project: string
  /** The folder of `package.json`; empty: the top. */
  readonly modules: string
  /** A change of the project is one in them. */
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** For a project that signs in by the usual variables. */
export function defaultCi(target: string): CiSettings {
  return {
    ...{ forge: 'github', targets: [target], ledger: false, addresses: [] },
    credentials: ['SVCSYNC_CLIENT_ID', 'SVCSYNC_CLIENT_SECRET'],
    variables: { reading: [], writing: [] },
  }
}

/** Path inside the repository → content. */
export function ciFiles(settings: CiSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filesOf(settings).map(([file, template]) => [file, renderCi(template, settings).replace(copyTo, '')]),
  )
}

/** `init` has already copied it. */
const copyTo = / Copy to \.github\/workflows\/\S+\.yml\./

/** The file in which a forge names the others. An existing one stays: its owner adds the lines. */
export const entryFiles: Readonly<Record<CiForge, string | undefined>> = {
  github: undefined,
  gitlab: '.gitlab-ci.yml',
  azure: 'azure-pipelines.yml',
}

function filesOf({ forge, targets, shards, inWaves, promotion }: CiSettings): readonly (readonly [string, string])[] {
  const entry = entryFiles[forge]
  if (entry !== undefined)
    return [
      [entry, `${forge}/${entry}`],
      ['ci/svcsync.yml', `${forge}/svcsync.yml`],
    ]
  const inPlace = (file: string, folder = 'github', from = file) =>
    [`.github/workflows/${file}`, `${folder}/${from}`] as const
  if (shards !== undefined || inWaves) {
    const own = ['plan.yml', 'apply.yml', 'drift.yml', 'due.yml', 'shards.yml'].map((file) =>
      inPlace(file, 'github-shards'),
    )
    return [...own, inPlace('access-review.yml')]
  }
  const shared = ['plan.yml', 'drift.yml', 'due.yml', 'access-review.yml'].map((file) => inPlace(file))
  if (targets.length === 1) return [...shared, inPlace('apply.yml')]
  const each = inPlace('apply.yml', 'github', promotion === undefined ? 'apply-several.yml' : 'apply-promotion.yml')
  return [...shared, each, inPlace('apply-target.yml', 'github', 'apply.yml')]
}

/** One name for the application that reads, and one for the one that writes. */
export function readingName(name: string): string {
  const own = /(?<=^|_)CLIENT_(?:ID|SECRET)$/
  return own.test(name) ? name.replace(own, 'READ_$&') : `READ_${name}`
}

/** As a job of the forge gets a secret, a variable that is none, and either of two secrets. */
const references = {
  github: {
    secret: (name: string) => `\${{ secrets.${name} }}`,
    plain: (name: string) => `\${{ vars.${name} }}`,
  },
  gitlab: { secret: (name: string) => `$${name}`, plain: (name: string) => `$${name}` },
  azure: { secret: (name: string) => `$(${name})`, plain: (name: string) => `$(${name})` },
} satisfies Record<CiForge, Record<'secret' | 'plain', (name: string) => string>>

const noVariables = [
  '# Add one line for each ${env:…} in your manifests, for instance',
  '# ERP_PASSWORD: ${{ secrets.ERP_PASSWORD }}',
]

/** Filters of the forge for changes of the project alone. */
function pathsOf({ forge, below, targets }: CiSettings) {
  if (below === undefined) return {}
  const within = { github: '/**', gitlab: '/**/*', azure: '' }[forge]
  const words = [...below.folders.map((folder) => folder + within), ...below.files].map(inlineText).join(', ')
  const list = `[${words}]`
  if (forge !== 'github') return { words, lines: [`changes: ${list}`] }
  const lines = [`paths: ${list} # take it away if the check is required: GitHub waits for it`]
  return { lines, single: targets.length === 1 ? lines : [] }
}

/** The lines that replace `#?NAME`. */
function linesFor(settings: CiSettings): Readonly<Record<string, readonly string[]>> {
  const { forge, credentials, addresses, variables } = settings
  const { secret, plain } = references[forge]
  const paths = pathsOf(settings)
  const onlyWriting = variables.writing.filter((name) => !variables.reading.includes(name))
  const declared = (name: string, required: boolean) => [`${name}:`, `  required: ${required}`]
  const secrets = (names: readonly string[]) => names.map((name) => `${name}: ${secret(name)}`)
  // In Azure an unset variable is its own name here, which allows nothing; other templates have lines of their own.
  const limits = forge === 'azure' ? secrets(['SVCSYNC_ALLOW_HOSTS', 'SVCSYNC_ALLOW_ENV']) : []
  const either = (name: string) =>
    `${name}: \${{ inputs.environment != '' && secrets.${name} || secrets.${readingName(name)} }}`
  return {
    'credentials:read': [...credentials.map((name) => `${name}: ${secret(readingName(name))}`), ...limits],
    'credentials:write': [...secrets(credentials), ...limits],
    'credentials:either': credentials.map(either),
    'credentials:required': [...credentials.map(readingName), ...variables.reading].flatMap((name) =>
      declared(name, true),
    ),
    'credentials:optional': [...credentials, ...onlyWriting].flatMap((name) => declared(name, false)),
    addresses: addresses.map((name) => `${name}: ${plain(name)}`),
    paths: paths.lines ?? [],
    'paths:single': paths.single ?? [],
    'variables:read': secrets(variables.reading),
    'variables:write': variables.writing.length === 0 && forge === 'github' ? noVariables : secrets(variables.writing),
  }
}

/**
 * `#?ledger LINE` is a line where there is a ledger; `LINE #?ledger` likewise, where the template is not YAML
 * otherwise. `!` in front of the name negates it. Throws an InternalError for a name that nothing here knows.
 */
export function renderCi(template: string, settings: CiSettings): string {
  const { targets, ledger, shards, inWaves = false, promotion, below } = settings
  const isSeveral = targets.length > 1
  const others = targets.filter((name) => name !== promotion?.from && !promotion?.to.includes(name))
  const holds: Readonly<Record<string, boolean>> = {
    ...{ ledger, several: isSeveral, below: below !== undefined, waves: inWaves },
    ...{ promotion: promotion !== undefined, others: promotion !== undefined && others.length > 0 },
  }
  const isTrue = (name: string): boolean => {
    const value = holds[name.replace('!', '')]
    if (value === undefined) return throwUnknownName(name)
    return value !== name.startsWith('!')
  }
  const expanded = linesFor(settings)
  const list = (names: readonly string[]): string => names.map(inlineText).join(', ')
  const options = targets.map((name) => `--target ${name}`).join(' ')
  const words: Readonly<Record<string, string>> = {
    file: isSeveral ? 'apply-target' : 'apply',
    targets: targets.join(' '),
    target: targets[0] ?? '',
    scalar: inlineText(targets[0] ?? ''),
    list: list(targets),
    options,
    choice: `${settings.isPart ? options : '--all-targets'}${shards === undefined ? '' : ' --shard "$SHARD"'}`,
    shards: Array.from({ length: shards ?? 1 }, (_, index) => `${index + 1}/${shards ?? 1}`).join(', '),
    from: promotion?.from ?? '',
    to: list(promotion?.to ?? []),
    others: list(others),
    project: below?.project ?? 'svcsync.yaml at the root',
    or: below === undefined ? '' : ` || '${below.project}'`,
    at: below === undefined ? '' : ` --project ${below.project}`,
    paths: pathsOf(settings).words ?? '',
  }
  const text = ciTemplates[template]
  if (text === undefined) return throwUnknownName(template)
  return text
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name, rest] = /^( *)#\?(\S+)(?: (.*))?$/.exec(line) ?? []
      if (name !== undefined && rest !== undefined) return isTrue(name) ? [indent + rest] : []
      if (name !== undefined) return (expanded[name] ?? throwUnknownName(name)).map((each) => indent + each)
      const [, own, condition] = /^(.*) #\?(\S+)$/.exec(line) ?? []
      return condition === undefined ? [line] : isTrue(condition) ? [own as string] : []
    })
    .map((line) => (isSeveral ? line.replace(" || '%target%'", '') : line))
    .map((line) => line.replace(/%(\w+)%/g, (_, name: string) => words[name] ?? throwUnknownName(name)))
    .map((line) => (below?.modules ? fromModules(line, below.modules) : line))
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/** The command for a package below the top of the repository. */
const fromModules = (line: string, folder: string): string =>
  line
    .replace(/\bnpm ci$/, `npm ci --prefix ${folder}`)
    .replace('npx --no svcsync', `npx --no --prefix ${folder} svcsync`)
    .replace('./node_modules/', `./${folder}/node_modules/`)

function throwUnknownName(name: string): never {
  throw new InternalError(`No template of a pipeline may ask for \`${name}\``)
}
