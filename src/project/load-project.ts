// The project file → a project and problems: the only way in.
import { dirname, isAbsolute, join } from 'node:path'
import type { Limits } from '@svcsync/core/guards/guard.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { firstFew, suggestion } from '@svcsync/core/model/near-misses.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { isTimeZone } from '@svcsync/core/model/time-bounds.ts'
import { byCount, compareProblems, type Place, type Problem } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { Resolver } from '@svcsync/manifests/resolver.ts'
import { collectSets } from '@svcsync/manifests/sets-schema.ts'
import { hasReference } from '@svcsync/manifests/template.ts'
import { parseDuration } from './parse-duration.ts'
import { type ParsedProject, parseProject, sourcesOf } from './parse-project.ts'
import type { Project } from './project.ts'
import { ProjectReader } from './project-reader.ts'
import type { readAddresses } from './read-addresses.ts'
import { checkPatterns, readFolders, readTarget } from './read-target.ts'
import { wavesOf } from './select-targets.ts'
import type { ProjectText } from './target-files.ts'

export const usualPolicyFolder = 'policies'

interface ProjectOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Name of the target. Default: `SVCSYNC_TARGET`, then the file's `target`, then the only one. */
  readonly target?: string | undefined
  readonly displayBase: string
  /** A project of another time, in these files, alone. Undefined: that of today, on the disk. */
  readonly base?: FileTree | undefined
  /** False: missing credentials are no problem, since nothing will be asked of the platform. Default: true. */
  readonly needCredentials?: boolean
  /** `other`: it is not the one that is meant by default, and variables that it alone needs may be missing. */
  readonly ofAll?: 'chosen' | 'other' | undefined
  readonly overrides?: {
    readonly variables?: Readonly<Record<string, string>> | undefined
    readonly concurrency?: number | undefined
    readonly addresses?: ReturnType<typeof readAddresses> | undefined
  }
}

export function loadProject(file: string, options: ProjectOptions & Pick<Project, 'kinds'>) {
  return readTargetOf(parseProject(file, options), options)
}

export function readTargetOf(parsed: ParsedProject, options: ProjectOptions) {
  const { root, source, elsewhere, path, kinds } = parsed
  const problems = [...parsed.problems]
  const project = root && source && readProject({ root, source, elsewhere }, { path, kinds }, options, problems)
  return { project, problems: problems.sort(compareProblems), sources: sourcesOf(parsed) }
}

function readProject(
  written: ProjectText,
  { path, kinds }: Pick<ParsedProject, 'path' | 'kinds'>,
  options: ProjectOptions,
  problems: Problem[],
): Project | undefined {
  const { root, source } = written
  const dir = dirname(path)
  const resolver = new Resolver({
    variables: {},
    env: options.env,
    projectDir: dir,
    asWritten: options.base !== undefined,
  })
  const reader = new ProjectReader(written, path, resolver, problems, options.ofAll === 'other')
  reader.checkReferences()
  if (typeof root.version === 'number' && root.version !== 1) {
    reader.report(
      'SVC1501',
      `\`version\` is ${root.version}, but this svcsync knows only 1`,
      ['version'],
      'Write 1, or use a svcsync that knows it.',
    )
  }
  const targetName = chooseTarget(reader, options)
  if (targetName !== undefined) reader.readFor(targetName)
  const settings = readSettings(reader, dir, options.overrides?.concurrency)
  resolver.allow(settings.readFilesFrom)
  const prune = Object.fromEntries(reader.keys(['prune']).map((key) => [key, reader.texts(['prune', key])]))
  const guards: Project['guards'] = {
    deletions: readLimits(reader, 'deletions', { max: 10, percent: 20 }),
    removals: readLimits(reader, 'removals', { max: 50, percent: 30 }),
    administratorGained: reader.word(['guards', 'administratorGained'], 'show', 'refuse'),
    overwrites: reader.word(['guards', 'overwrites'], 'show', 'refuse'),
    ...(targetName !== undefined && readPromotion(reader, targetName)),
  } as const
  const removed = {
    entries: reader.word(['removed', 'entries'], 'remove', 'keep'),
    objects: reader.word(['removed', 'objects'], 'keep', 'delete'),
    values: reader.word(['removed', 'values'], 'keep', 'inherit'),
  } as const
  const manifestPlaces: Place[] = []
  const manifests = reader.texts(['manifests'])
  for (const index of manifests.keys()) manifestPlaces.push(reader.place(['manifests', index]))
  if (targetName !== undefined && reader.at(['manifests']) === undefined) reportNoManifests(reader, targetName)
  const policies = readPolicies(reader, dir, options.base)
  const protect = reader.texts(['protect'])
  checkPatterns(reader, protect, prune, kinds)

  if (targetName === undefined) return undefined
  const target = readTarget(reader, targetName, {
    env: options.env,
    needCredentials: options.needCredentials ?? true,
    variables: options.overrides?.variables ?? {},
    addresses: options.overrides?.addresses ?? {},
    kinds,
  })
  const sets = new Map<string, AccountSet>()
  collectSets(root.sets, source, sets, problems)
  return {
    file: path,
    dir,
    kinds,
    sets,
    manifests,
    manifestPlaces,
    policies,
    ...readOverrides(reader, targetName),
    manifestsOfOthers: patternsOfOthers(reader, targetName, 'manifests'),
    targetName: target.name,
    target,
    unknownVariables: unknownVariables(reader, target),
    notSet: [...reader.withheld].sort(),
    settings,
    ledger: readLedger(reader),
    waves: wavesOf(root),
    externalAccounts: reader.texts(['accounts', 'external']),
    prune,
    guards,
    access: reader.word(['access'], 'declared', 'none', 'full'),
    exceptions: readExceptionsFile(reader),
    globalPrivileges: readGlobal(reader),
    notify: readNotify(reader),
    removed,
    protect,
  }
}

function readNotify(reader: ProjectReader): Project['notify'] {
  return Object.fromEntries(
    reader.keys(['notify']).map((name) => {
      const url = String(reader.at(['notify', name, 'url']) ?? '')
      return [name, { url, as: reader.word(['notify', name, 'as'], 'json', 'teams') }]
    }),
  )
}

function readExceptionsFile(reader: ProjectReader): Project['exceptions'] {
  const path = ['exceptions']
  const file = reader.at(path)
  if (typeof file !== 'string') return undefined
  if (!hasReference(file) && !isAbsolute(file) && !file.split('/').includes('..'))
    return { file, place: reader.place(path) }
  const hint = 'Name a file in the folder of the project, like `exceptions.yaml`.'
  return reader.report('SVC1501', '`exceptions` is no file of the project', path, hint)
}

function readGlobal(reader: ProjectReader): Project['globalPrivileges'] {
  const path = ['globalPrivileges']
  const file = reader.at([...path, 'file'])
  const [, days] = /^([1-9]\d{0,3})d$/.exec(reader.text([...path, 'maxAge']) ?? '90d') ?? []
  if (days === undefined)
    return reader.report('SVC1501', '`maxAge` is no number of days', [...path, 'maxAge'], 'Write it like `90d`.')
  if (typeof file !== 'string') return undefined
  if (hasReference(file))
    return reader.report(
      'SVC1501',
      '`file` takes no reference',
      [...path, 'file'],
      'Write the name of the file itself.',
    )
  return { file, maxAgeDays: Number(days), place: reader.place([...path, 'file']) }
}

/** A name alone: an address would be shown, with what is in it, and an option would be one of git. */
function readLedger(reader: ProjectReader): Project['ledger'] {
  const path = ['ledger', 'remote']
  const remote = reader.text(path)
  const signed = reader.word(['ledger', 'signed'], 'accept', 'require')
  if (remote === undefined || /^[A-Za-z0-9_][\w.-]*(?:\/[\w.-]+)*$/.test(remote))
    return remote === undefined ? undefined : { remote, signed }
  return reader.report(
    'SVC1501',
    '`remote` is no name of a remote',
    path,
    'Write its name, like `origin`: `git remote` lists them.',
  )
}

/** Their values are missing, which is reported at the place of their definition, if at all. */
function unknownVariables(reader: ProjectReader, { name, variables }: Project['target']): string[] {
  return reader.keys(['targets', name, 'variables']).filter((key) => !Object.hasOwn(variables, key))
}

/** A folder with the usual name needs no line of its own. `policies: []` leaves it alone. */
function readPolicies(reader: ProjectReader, dir: string, tree = disk): Project['policies'] {
  if (reader.at(['policies']) === undefined) {
    // A link that leads nowhere is there, too: what it was meant to hold must not be left out in silence.
    const isThere = tree.exists(join(dir, usualPolicyFolder))
    return isThere ? [{ pattern: usualPolicyFolder, place: undefined }] : []
  }
  return reader.texts(['policies']).map((pattern, index) => ({ pattern, place: reader.place(['policies', index]) }))
}

function readOverrides(reader: ProjectReader, target: string): Pick<Project, 'overrides' | 'overridesOfOthers'> {
  const path = ['targets', target, 'overrides']
  const overrides = reader.texts(path).map((pattern, index) => ({ pattern, place: reader.place([...path, index]) }))
  return { overrides, overridesOfOthers: patternsOfOthers(reader, target, 'overrides') }
}

/** At the top, it binds every target but the one that it names. */
function readPromotion(reader: ProjectReader, target: string): Pick<Project['guards'], 'promotedFrom'> {
  const path = ['guards', 'promotedFrom']
  const written = reader.written(path)
  if (written === undefined) return {}
  const from = plainText(written)
  const names = reader.keys(['targets'])
  const isOwn = reader.at(['targets', target, ...path]) !== undefined
  if (!names.includes(from)) {
    const hint = suggestion(from, names) ?? `The targets are ${firstFew(names, 20)}.`
    reader.report('SVC1502', `There is no target \`${written}\``, path, hint)
  } else if (from === target && isOwn) {
    reader.report(
      'SVC1501',
      `\`promotedFrom\` of \`${target}\` names the target itself`,
      path,
      'Name the target before it.',
    )
  }
  return from === target ? {} : { promotedFrom: from }
}

function reportNoManifests(reader: ProjectReader, target: string): void {
  const hint = 'Add `manifests: [manifests]` to the target, or at the top of the file for all targets.'
  reader.report('SVC1501', `The target \`${target}\` has no \`manifests\``, ['targets', target], hint)
}

function patternsOfOthers(reader: ProjectReader, target: string, key: 'manifests' | 'overrides'): readonly string[] {
  const names = reader.keys(['targets']).filter((name) => name !== target)
  const written = names.flatMap((name) => reader.at(['targets', name, key])).flat()
  // References of other targets are not resolved.
  return written.filter((pattern) => typeof pattern === 'string').filter((pattern) => !hasReference(pattern))
}

function chooseTarget(reader: ProjectReader, options: ProjectOptions): string | undefined {
  const names = reader.keys(['targets'])
  if (names.length === 0) {
    if (isJsonObject(reader.root.targets)) {
      reader.report('SVC1502', 'There is no target', ['targets'], 'Add one under `targets`, with its `baseUrl`.')
    }
    return undefined
  }
  const written = reader.written(['target'])
  const { SVCSYNC_TARGET: given } = options.env
  const asked: Text | undefined = options.target ?? (given ? new Sensitive('${env:SVCSYNC_TARGET}', given) : undefined)
  const name = asked ?? written ?? (names.length === 1 ? names[0] : undefined)
  const known = firstFew(names, 20)
  // A run over all targets chooses none, but each must be valid.
  const isWrong = options.ofAll !== undefined && written !== undefined && !names.includes(plainText(written))
  if (isWrong && asked !== undefined) reportUnknown(reader, written, ['target'], names, '')
  if (name === undefined) {
    reader.report(
      'SVC1502',
      'No target is chosen',
      [],
      `Name one by \`--target\` or \`target:\`. There ${byCount(names.length, 'is', 'are')} ${known}.`,
    )
    return undefined
  }
  if (names.includes(plainText(name))) return plainText(name)
  const from = options.target === undefined ? '' : ' (from `--target`)'
  const path: Path = asked === undefined ? ['target'] : ['targets']
  reportUnknown(reader, name, path, names, from)
  return undefined
}

function reportUnknown(reader: ProjectReader, name: Text, path: Path, names: readonly string[], from: string): void {
  const known = firstFew(names, 20)
  const hint = suggestion(plainText(name), names) ?? `There ${byCount(names.length, 'is', 'are')} ${known}.`
  reader.report('SVC1502', `There is no target \`${name}\`${from}`, path, hint)
}

function readSettings(reader: ProjectReader, dir: string, concurrency: number | undefined): Project['settings'] {
  const maxAnswerMb = reader.number(['settings', 'maxAnswerMb'], 0)
  return {
    concurrency: concurrency ?? reader.number(['settings', 'concurrency'], 16),
    ...(maxAnswerMb > 0 && { maxAnswerMb: Math.min(512, maxAnswerMb) }),
    pageSize: reader.number(['settings', 'pageSize'], 200),
    retry: {
      attempts: reader.number(['settings', 'retry', 'attempts'], 5),
      maxDelayMs: readDuration(reader, ['settings', 'retry', 'maxDelay'], 30_000),
    },
    sync: { timeoutMs: readDuration(reader, ['settings', 'sync', 'timeout'], 120_000) },
    timeZone: readTimeZone(reader),
    collections: reader.word(['settings', 'collections'], 'exclusive', 'additive'),
    ...readPrivileges(reader.at(['settings', 'privileges'])),
    identifiers: reader.word(['settings', 'identifiers'], 'warn', 'ignore'),
    unreadable: reader.word(['settings', 'unreadable'], 'skip', 'refuse'),
    readFilesFrom: readFolders(reader, dir),
  }
}

function readPrivileges(written: unknown): Pick<Project['settings'], 'privileges'> {
  return written === 'exclusive' || written === 'additive' || written === 'whole' ? { privileges: written } : {}
}

function readTimeZone(reader: ProjectReader): string {
  const path = ['settings', 'timeZone']
  const name = reader.written(path) ?? 'UTC'
  if (isTimeZone(plainText(name))) return plainText(name)
  reader.report('SVC1501', `There is no time zone \`${name}\``, path, 'Write its IANA name, like `Europe/Warsaw`.')
  return 'UTC'
}

function readDuration(reader: ProjectReader, path: Path, whenAbsent: number): number {
  const text = reader.text(path)
  if (text === undefined) return whenAbsent
  const ms = parseDuration(text)
  if (ms === undefined) {
    const hint = 'Write a number with its unit: `500ms`, `30s`, `2m`, `1h`.'
    reader.report('SVC1501', `\`${String(path.at(-1))}\` is no duration`, path, hint)
  }
  return ms ?? whenAbsent
}

function readLimits(reader: ProjectReader, name: string, whenAbsent: Limits): Limits {
  const percent = reader.number(['guards', name, 'percent'], whenAbsent.percent)
  if (percent > 100) {
    reader.report('SVC1501', `\`percent\` is ${percent}, and a share is at most 100`, ['guards', name, 'percent'])
  }
  return { max: reader.number(['guards', name, 'max'], whenAbsent.max), percent }
}
