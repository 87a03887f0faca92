// Reads a target of the project file: address, credentials, databases, variables.
import { dirname, resolve } from 'node:path'
import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { isWireName, wireNameRule } from '@svcsync/core/model/wire-name.ts'
import { inCode } from '@svcsync/errors/index.ts'
import { Resolver } from '@svcsync/manifests/resolver.ts'
import { isReference, parseTemplate } from '@svcsync/manifests/template.ts'
import type { ParsedProject } from './parse-project.ts'
import type { Target } from './project.ts'
import { defaultVariables, ProjectReader } from './project-reader.ts'
import { readAddresses } from './read-addresses.ts'

type TargetOptions = Parameters<typeof readAddresses>[2] & {
  /** On top of the target's own. */
  readonly variables: Readonly<Record<string, string>>
  readonly kinds: readonly Kind[]
}

/** Only the address of the target. Undefined: unknown; reading the target reports the reason. */
export function addressOfTarget(
  { root, source, elsewhere, path }: ParsedProject,
  name: string,
  env: TargetOptions['env'],
): string | undefined {
  if (root === undefined || source === undefined) return undefined
  const projectDir = dirname(path)
  const resolver = new Resolver({ variables: {}, env, projectDir })
  const reader = new ProjectReader({ root, source, elsewhere }, path, resolver, [], false)
  reader.readFor(name)
  resolver.allow(readFolders(reader, projectDir))
  return readAddresses(reader, name, { env, needCredentials: false, addresses: {} }).baseUrl
}

/** Absolute: where `${file:…}` may read outside the project. */
export function readFolders(reader: ProjectReader, dir: string): readonly string[] {
  return reader.texts(['settings', 'readFilesFrom']).map((folder) => resolve(dir, plainText(folder)))
}

/** Resolves the existing target called `name`. Missing and unusable parts are reported. */
export function readTarget(reader: ProjectReader, name: string, options: TargetOptions): Target {
  const path = ['targets', name]
  const before = countErrors(reader)
  const { baseUrl, authUrl } = readAddresses(reader, name, options)
  const clientId = readCredential<Text>(reader, [...path, 'clientId'], options, (at) => reader.written(at)) ?? ''
  const clientSecret = readCredential(reader, [...path, 'clientSecret'], options, (at) => reader.secret(at))
  // Runs look for more problems. Nobody who may be the wrong one is to be asked, and to get the secret.
  const isSound = countErrors(reader) === before
  const databases = readDatabases(reader, [...path, 'databases'])
  const expect = readExpect(reader, [...path, 'expect', 'installation'], databases, options)
  return {
    name,
    baseUrl: isSound ? (baseUrl ?? '') : '',
    authUrl: isSound ? (authUrl ?? baseUrl ?? '') : '',
    apiVersion: reader.at([...path, 'apiVersion']) === '5.0' ? '5.0' : '6.0',
    clientId,
    clientSecret,
    databases,
    variables: { ...reader.textMap([...path, 'variables']), ...options.variables },
    wireNames: readWireNames(reader, [...path, 'wireNames']),
    ...(reader.at([...path, 'confirm']) === 'name' && { confirm: 'name' }),
    ...(expect && { expect }),
    ...(reader.at([...path, 'only']) !== undefined && { only: readScope(reader, [...path, 'only'], options.kinds) }),
    allowInsecureHttp: reader.at([...path, 'allowInsecureHttp']) === true,
    svcIds: reader.at([...path, 'svcIdCase']) === 'exact' ? 'case-sensitive' : 'ignore-case',
  }
}

function readScope(reader: ProjectReader, path: Path, kinds: readonly Kind[]): readonly Text[] {
  const globs = reader.texts(path)
  for (const [index, glob] of globs.entries()) checkGlob(reader, glob, [...path, index], 'select', kinds)
  return globs
}

function countErrors({ problems }: ProjectReader): number {
  return problems.filter(({ severity }) => severity === 'error').length
}

/** `read`: what the target says itself. */
function readCredential<T extends Text>(
  reader: ProjectReader,
  path: Path,
  { env, needCredentials }: TargetOptions,
  read: (path: Path) => T | undefined,
): T | Sensitive | undefined {
  const variable = defaultVariables[String(path.at(-1))] as string
  const given = env[variable]
  if (reader.at(path) === undefined) {
    if (given) return new Sensitive(`\${env:${variable}}`, given)
    return needCredentials ? reportMissing(reader, path, variable) : undefined
  }
  if (!needCredentials) return undefined
  const own = read(path)
  if (own !== undefined && given && given !== plainText(own)) reportContradiction(reader, path, variable)
  return own
}

/** A written value stays: one variable must not send every target to one installation. */
function reportContradiction(reader: ProjectReader, path: Path, variable: string): void {
  const key = String(path.at(-1))
  reader.report(
    'SVC1504',
    `The target \`${String(path[1])}\` has a \`${key}\` of its own, and \`${variable}\` is another`,
    path,
    `Unset \`${variable}\`, or take \`${key}\` from the target: a variable only fills what a target leaves open.`,
  )
}

function reportMissing(reader: ProjectReader, path: Path, variable: string): undefined {
  // A literal that was refused is absent as well, and reported already.
  if (reader.problems.some(({ code, message }) => code === 'SVC1106' && message.includes(String(path.at(-1))))) return
  return reader.report(
    'SVC1501',
    `The target \`${String(path[1])}\` has no \`${String(path.at(-1))}\``,
    path,
    `Write \`\${env:${variable}}\` and set it where svcsync runs.`,
  )
}

function readDatabases(reader: ProjectReader, path: Path): Record<string, number> {
  const databases: Record<string, number> = {}
  for (const name of reader.keys(path)) {
    const dbId = reader.at([...path, name])
    if (typeof dbId === 'number') databases[name] = dbId
  }
  return databases
}

/** They are sent as keys, where a value of the environment would be no secret any more. */
function readWireNames(reader: ProjectReader, path: Path): Record<string, string> {
  const names: Record<string, string> = {}
  for (const name of reader.keys(path)) {
    const at = [...path, name]
    const written = reader.at(at)
    if (typeof written !== 'string') continue
    const parts = parseTemplate(written)
    const real = parts.join('')
    const report = (code: 'SVC1204' | 'SVC1501', what: string) => reader.report(code, what, at, wireNameRule)
    // Others that are no text were reported, wherever they stand.
    if (parts.some((part) => isReference(part) && part.scheme !== 'var'))
      report('SVC1204', 'A name in `wireNames` holds no reference')
    else if (parts.some((part) => typeof part !== 'string')) continue
    else if (isWireName(name) && isWireName(real)) names[name] = real
    else report('SVC1501', `${inCode(isWireName(name) ? real : name)} in \`wireNames\` is no name of an interface`)
  }
  return names
}

/** The signs by which svcsync recognises an installation. An empty one would pass for a safeguard. */
function readExpect(
  reader: ProjectReader,
  path: Path,
  databases: Target['databases'],
  { needCredentials }: TargetOptions,
): Target['expect'] {
  if (reader.at(path) === undefined) return undefined
  const names = reader.keys([...path, 'applications'])
  if (reader.at([...path, 'signsInAs']) === undefined && names.length === 0) {
    const hint = 'Write `signsInAs`, `applications`, or both: `svcsync doctor` prints the lines.'
    return reader.report('SVC1501', '`expect` does not identify the installation', path, hint)
  }
  const isKnown = (name: string): boolean => Object.hasOwn(databases, name)
  for (const name of names.filter((name) => !isKnown(name))) {
    const target = String(path[1])
    const hint = `Name one of \`databases\` of the target: ${Object.keys(databases).join(', ') || 'there is none yet'}.`
    reader.report(
      'SVC1501',
      `The target \`${target}\` has no database \`${name}\``,
      [...path, 'applications', name],
      hint,
    )
  }
  // A run without the platform compares nothing, and needs no variables.
  const texts = (at: Path) => (needCredentials ? reader.texts(at) : [])
  return {
    signsInAs: texts([...path, 'signsInAs']),
    applications: Object.fromEntries(
      names.filter(isKnown).map((name) => [name, texts([...path, 'applications', name])]),
    ),
  }
}

/** `does`: what a glob is for, which matches nothing. */
function checkGlob(
  reader: ProjectReader,
  glob: Text,
  path: Path,
  does: 'protect' | 'select',
  kinds: readonly Kind[],
): void {
  const segments = [...new Set(kinds.filter(({ scope }) => scope !== 'parent').map(({ segment }) => segment))]
  const plain = plainText(glob)
  const [first = ''] = plain.split('/')
  const isAddress = first.includes('**') || (plain.includes('/') && segments.some(addressMatcher(first, [])))
  if (isAddress) return
  const near = plain.includes('/') ? suggestion(first, segments) : undefined
  const meant = glob === plain ? glob.replace(/^\/+/, '') : 'admins@example.com'
  const hint = near ?? `Write an address like \`group/${meant}\`: the plan shows them.`
  reader.report('SVC1501', `\`${glob}\` matches no address, and would ${does} nothing`, path, hint)
}

export function checkPatterns(
  reader: ProjectReader,
  protect: readonly Text[],
  prune: Readonly<Record<string, readonly Text[]>>,
  kinds: readonly Kind[],
): void {
  for (const [index, glob] of protect.entries()) checkGlob(reader, glob, ['protect', index], 'protect', kinds)
  for (const [key, patterns] of Object.entries(prune)) {
    const segment = kinds.find(({ sections }) => sections[0].key === key)?.segment ?? key
    for (const [index, pattern] of patterns.entries()) {
      const plain = plainText(pattern)
      if (!plain.toLowerCase().startsWith(`${segment}/`)) continue
      const meant = pattern === plain ? `write \`${pattern.slice(segment.length + 1)}\`` : `leave \`${segment}/\` out`
      const hint = `Patterns of \`prune\` are over svcIds: ${meant}.`
      reader.report('SVC1501', `\`${pattern}\` is a pattern over addresses`, ['prune', key, index], hint)
    }
  }
}
