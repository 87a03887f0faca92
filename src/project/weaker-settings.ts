// Finds the settings that guard less than at the base. A new setting does not compile without an entry in this table.
import type { Limits } from '@svcsync/core/guards/guard.ts'
import { type Address, selectionOf } from '@svcsync/core/model/address.ts'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import type { WeakenedProtection } from '@svcsync/core/plan/plan-document.ts'
import { inCode, type Place } from '@svcsync/errors/index.ts'
import type { ParsedProject } from './parse-project.ts'
import type { Project } from './project.ts'
import { effectivePath, writtenAt } from './project-reader.ts'
import { sayWave } from './select-targets.ts'
import { placeIn } from './target-files.ts'

interface Side {
  readonly project: Project
  readonly parsed: ParsedProject
}

interface Weaker {
  readonly path: readonly string[]
  readonly says: string
}

type Judge<Value> = (before: Value, after: Value, path: readonly string[]) => readonly Weaker[]

/** No value of the setting guards less, or another rule reports it. */
const beside: Judge<unknown> = () => []

const shown = (path: readonly string[]): string => inCode(path.join('.'))

/** From the strictest word to the loosest. */
const words =
  <Word extends string | undefined>(...order: readonly Word[]): Judge<Word> =>
  (before, after, path) =>
    order.indexOf(after) > order.indexOf(before)
      ? [{ path, says: `${shown(path)} goes from ${inCode(before ?? 'unset')} to ${inCode(after ?? 'unset')}` }]
      : []

const largest: Judge<number> = (before, after, path) =>
  after > before ? [{ path, says: `${shown(path)} goes from ${before} to ${after}` }] : []

const limits: Judge<Limits> = (before, after, path) => [
  ...largest(before.max, after.max, [...path, 'max']),
  ...largest(before.percent, after.percent, [...path, 'percent']),
]

const textsOf = (texts: readonly Text[] | undefined): readonly string[] => (texts ?? []).map(String)

/** The entries of the first list that the second one lacks. */
const missing =
  (verb: string): Judge<readonly Text[] | undefined> =>
  (longer, shorter, path) => {
    const known = new Set(textsOf(shorter))
    const texts = textsOf(longer).filter((text) => !known.has(text))
    return texts.map((text) => ({ path, says: `${shown(path)} ${verb} ${inCode(text)}` }))
  }

const lost = missing('no longer names')
const gained: Judge<readonly Text[] | undefined> = (before, after, path) => missing('now names')(after, before, path)

/** Without the setting, nothing guards. */
const whileKept =
  <Value>(judge: Judge<Value>): Judge<Value | undefined> =>
  (before, after, path) => {
    if (before === undefined) return []
    return after === undefined ? [{ path, says: `${shown(path)} is gone` }] : judge(before, after, path)
  }

const ofMapping =
  <Value>(judge: Judge<Value | undefined>): Judge<Readonly<Record<string, Value>> | undefined> =>
  (before, after, path) =>
    Object.entries(before ?? {}).flatMap(([key, value]) => judge(value, after?.[key], [...path, key]))

type Judges<Part> = { readonly [Key in keyof Part]-?: Judge<Part[Key]> }

const settings: Judges<Project['settings']> = {
  concurrency: beside,
  maxAnswerMb: beside,
  pageSize: beside,
  retry: beside,
  sync: beside,
  timeZone: beside,
  collections: words('exclusive', 'additive'),
  // An unset value follows `collections`.
  privileges: beside,
  identifiers: words('warn', 'ignore'),
  unreadable: words('refuse', 'skip'),
  readFilesFrom: gained,
}

const privileges = words('whole', 'exclusive', 'additive')

const guards: Judges<Project['guards']> = {
  deletions: limits,
  removals: limits,
  overwrites: words('refuse', 'show'),
  promotedFrom: (before, after, path) => {
    if (before === undefined || before === after) return []
    const now = after === undefined ? 'is gone' : `goes from ${inCode(before)} to ${inCode(after)}`
    return [{ path, says: `${shown(path)} ${now}` }]
  },
  administratorGained: words('refuse', 'show'),
}

const removed: Judges<Project['removed']> = {
  entries: words('remove', 'keep'),
  objects: words('delete', 'keep'),
  values: words('inherit', 'keep'),
}

const target: Judges<Project['target']> = {
  name: beside,
  baseUrl: beside,
  authUrl: beside,
  apiVersion: beside,
  clientId: beside,
  clientSecret: beside,
  databases: beside,
  variables: beside,
  wireNames: beside,
  allowInsecureHttp: (before, after, path) => (after && !before ? [{ path, says: `${shown(path)} is set` }] : []),
  confirm: (before, after, path) => (before && !after ? [{ path, says: `${shown(path)} is gone` }] : []),
  expect: whileKept((before, after, path) => {
    const own = [...path, 'installation']
    const isGone = before.signsInAs.length > 0 && after.signsInAs.length === 0
    const names = isGone ? lost : gained
    return [
      ...(before.signsInAs.length > 0 ? names(before.signsInAs, after.signsInAs, [...own, 'signsInAs']) : []),
      ...ofMapping(lost)(before.applications, after.applications, [...own, 'applications']),
    ]
  }),
  svcIds: beside,
  // Nothing guards an object that is left out.
  only: (before, after, path) => {
    if (after === undefined) return []
    return before === undefined ? [{ path, says: `${shown(path)} is set` }] : lost(before, after, path)
  },
}

const judges: Judges<Project> = {
  file: beside,
  dir: beside,
  kinds: beside,
  manifests: beside,
  manifestPlaces: beside,
  policies: beside,
  overrides: beside,
  overridesOfOthers: beside,
  manifestsOfOthers: beside,
  targetName: beside,
  target: (before, after) => judgeParts(target, before, after, ['targets', after.name]),
  unknownVariables: beside,
  notSet: beside,
  settings: (before, after, path) => [
    ...judgeParts(settings, before, after, path),
    ...(before.privileges === undefined && after.privileges === undefined
      ? []
      : privileges(before.privileges ?? before.collections, after.privileges ?? after.collections, [
          ...path,
          'privileges',
        ])),
  ],
  ledger: whileKept((before, after, path) =>
    words('require', 'accept')(before.signed, after.signed, [...path, 'signed']),
  ),
  waves: (before, after, path) =>
    before.flatMap((wave) => {
      const index = after.findIndex((each) => sayWave(each) === sayWave(wave))
      const now = after[index]
      if (now !== undefined) return largest(wave.failures, now.failures, [...path, String(index), 'failures'])
      return [{ path, says: `${shown(path)} no longer has the wave ${inCode(sayWave(wave))}` }]
    }),
  // The contents of the file are compared elsewhere.
  exceptions: beside,
  prune: ofMapping(lost),
  globalPrivileges: whileKept((before, after, path) =>
    largest(before.maxAgeDays, after.maxAgeDays, [...path, 'maxAge']),
  ),
  notify: beside,
  access: words('full', 'declared', 'none'),
  guards: (before, after, path) => judgeParts(guards, before, after, path),
  removed: (before, after, path) => judgeParts(removed, before, after, path),
  sets: beside,
  externalAccounts: (before, after) => gained(before, after, ['accounts', 'external']),
  protect: lost,
}

function judgeParts<Part extends object>(
  parts: Judges<Part>,
  before: Part,
  after: Part,
  path: readonly string[],
): readonly Weaker[] {
  return (Object.keys(parts) as (keyof Part & string)[]).flatMap((key) =>
    parts[key](before[key], after[key], [...path, key]),
  )
}

/** `commit`: of the base. */
export function findWeakerSettings(before: Side, after: Side, commit: string | null): WeakenedProtection[] {
  return judgeParts(judges, withoutCovered(before.project, after.project), after.project, []).map(({ path, says }) => {
    const [place, was] = [placeOf(after, path), placeOf(before, path)]
    const where = { ...(place && { place }), ...(was && { was: { commit, ...was } }) }
    return { what: 'setting', name: path.join('.'), sentence: says, ...where }
  })
}

/** A wider pattern may protect what had a line of its own. */
function withoutCovered(before: Project, { protect, kinds }: Project): Project {
  if (protect.length === 0) return before
  const isCovered = selectionOf(protect.map(plainText), kinds)
  const isOpen = (text: Text) => /[*?]/.test(String(text)) || !isCovered(plainText(text) as Address)
  return { ...before, protect: before.protect.filter(isOpen) }
}

/** Undefined: it is not in the file. */
function placeOf({ project, parsed: { root, source, elsewhere } }: Side, path: readonly string[]): Place | undefined {
  if (root === undefined || source === undefined) return undefined
  const own = effectivePath(root, project.targetName, path)
  return writtenAt(root, own) === undefined ? undefined : placeIn({ root, source, elsewhere }, own, 'key')
}
