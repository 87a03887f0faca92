// Finds the settings that guard less than at the base. A new setting does not compile without an entry in this table.
import type { Limits } from '@svcsync/core/guards/guard.ts'
import { type Address, selectionOf } from '@svcsync/core/model/address.ts'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import type { WeakenedProtection } from '@svcsync/core/plan/plan-document.ts'
import { inCode, type Place } from '@svcsync/errors/index.ts'
import type { ParsedProject } from './parse-project.ts'
import type { Project } from './project.ts'
import { effectivePath, valueAt } from './project-reader.ts'
import { formatWave } from './select-targets.ts'
import { placeIn } from './target-files.ts'

interface Side {
  readonly project: Project
  readonly parsed: ParsedProject
}

interface Weakening {
  readonly path: readonly string[]
  readonly says: string
}

type Finder<Value> = (before: Value, after: Value, path: readonly string[]) => readonly Weakening[]

/** No value of the setting guards less, or another rule reports it. */
const neverWeaker: Finder<unknown> = () => []

const formatPath = (path: readonly string[]): string => inCode(path.join('.'))

/** From the strictest word to the loosest. */
const byOrder =
  <Word extends string | undefined>(...order: readonly Word[]): Finder<Word> =>
  (before, after, path) =>
    order.indexOf(after) > order.indexOf(before)
      ? [{ path, says: `${formatPath(path)} goes from ${inCode(before ?? 'unset')} to ${inCode(after ?? 'unset')}` }]
      : []

const byLargest: Finder<number> = (before, after, path) =>
  after > before ? [{ path, says: `${formatPath(path)} goes from ${before} to ${after}` }] : []

const limits: Finder<Limits> = (before, after, path) => [
  ...byLargest(before.max, after.max, [...path, 'max']),
  ...byLargest(before.percent, after.percent, [...path, 'percent']),
]

const textsOf = (texts: readonly Text[] | undefined): readonly string[] => (texts ?? []).map(String)

/** The entries of the first list that the second one lacks. */
const byMissing =
  (verb: string): Finder<readonly Text[] | undefined> =>
  (longer, shorter, path) => {
    const known = new Set(textsOf(shorter))
    const texts = textsOf(longer).filter((text) => !known.has(text))
    return texts.map((text) => ({ path, says: `${formatPath(path)} ${verb} ${inCode(text)}` }))
  }

const byLost = byMissing('no longer names')
const byGained: Finder<readonly Text[] | undefined> = (before, after, path) =>
  byMissing('now names')(after, before, path)

/** Without the setting, nothing guards. */
const ifKept =
  <Value>(judge: Finder<Value>): Finder<Value | undefined> =>
  (before, after, path) => {
    if (before === undefined) return []
    return after === undefined ? [{ path, says: `${formatPath(path)} is gone` }] : judge(before, after, path)
  }

const ofMapping =
  <Value>(judge: Finder<Value | undefined>): Finder<Readonly<Record<string, Value>> | undefined> =>
  (before, after, path) =>
    Object.entries(before ?? {}).flatMap(([key, value]) => judge(value, after?.[key], [...path, key]))

type FindersByKey<Part> = { readonly [Key in keyof Part]-?: Finder<Part[Key]> }

const settings: FindersByKey<Project['settings']> = {
  concurrency: neverWeaker,
  maxAnswerMb: neverWeaker,
  pageSize: neverWeaker,
  retry: neverWeaker,
  sync: neverWeaker,
  timeZone: neverWeaker,
  collections: byOrder('exclusive', 'additive'),
  // An unset value follows `collections`.
  privileges: neverWeaker,
  identifiers: byOrder('warn', 'ignore'),
  unreadable: byOrder('refuse', 'skip'),
  readFilesFrom: byGained,
}

const privileges = byOrder('whole', 'exclusive', 'additive')

const guards: FindersByKey<Project['guards']> = {
  deletions: limits,
  removals: limits,
  overwrites: byOrder('refuse', 'show'),
  promotedFrom: (before, after, path) => {
    if (before === undefined || before === after) return []
    const now = after === undefined ? 'is gone' : `goes from ${inCode(before)} to ${inCode(after)}`
    return [{ path, says: `${formatPath(path)} ${now}` }]
  },
  administratorGained: byOrder('refuse', 'show'),
}

const removed: FindersByKey<Project['removed']> = {
  entries: byOrder('remove', 'keep'),
  objects: byOrder('delete', 'keep'),
  values: byOrder('inherit', 'keep'),
}

const target: FindersByKey<Project['target']> = {
  name: neverWeaker,
  baseUrl: neverWeaker,
  authUrl: neverWeaker,
  apiVersion: neverWeaker,
  clientId: neverWeaker,
  clientSecret: neverWeaker,
  databases: neverWeaker,
  variables: neverWeaker,
  wireNames: neverWeaker,
  allowInsecureHttp: (before, after, path) => (after && !before ? [{ path, says: `${formatPath(path)} is set` }] : []),
  confirm: (before, after, path) => (before && !after ? [{ path, says: `${formatPath(path)} is gone` }] : []),
  expect: ifKept((before, after, path) => {
    const own = [...path, 'installation']
    const isGone = before.signsInAs.length > 0 && after.signsInAs.length === 0
    const names = isGone ? byLost : byGained
    return [
      ...(before.signsInAs.length > 0 ? names(before.signsInAs, after.signsInAs, [...own, 'signsInAs']) : []),
      ...ofMapping(byLost)(before.applications, after.applications, [...own, 'applications']),
    ]
  }),
  svcIds: neverWeaker,
  // Nothing guards an object that is left out.
  only: (before, after, path) => {
    if (after === undefined) return []
    return before === undefined ? [{ path, says: `${formatPath(path)} is set` }] : byLost(before, after, path)
  },
}

const finders: FindersByKey<Project> = {
  file: neverWeaker,
  dir: neverWeaker,
  kinds: neverWeaker,
  manifests: neverWeaker,
  manifestPlaces: neverWeaker,
  policies: neverWeaker,
  overrides: neverWeaker,
  overridesOfOthers: neverWeaker,
  manifestsOfOthers: neverWeaker,
  targetName: neverWeaker,
  target: (before, after) => findIn(target, before, after, ['targets', after.name]),
  unknownVariables: neverWeaker,
  notSet: neverWeaker,
  settings: (before, after, path) => [
    ...findIn(settings, before, after, path),
    ...(before.privileges === undefined && after.privileges === undefined
      ? []
      : privileges(before.privileges ?? before.collections, after.privileges ?? after.collections, [
          ...path,
          'privileges',
        ])),
  ],
  ledger: ifKept((before, after, path) =>
    byOrder('require', 'accept')(before.signed, after.signed, [...path, 'signed']),
  ),
  waves: (before, after, path) =>
    before.flatMap((wave) => {
      const index = after.findIndex((each) => formatWave(each) === formatWave(wave))
      const now = after[index]
      if (now !== undefined) return byLargest(wave.failures, now.failures, [...path, String(index), 'failures'])
      return [{ path, says: `${formatPath(path)} no longer has the wave ${inCode(formatWave(wave))}` }]
    }),
  // The contents of the file are compared elsewhere.
  exceptions: neverWeaker,
  prune: ofMapping(byLost),
  globalPrivileges: ifKept((before, after, path) =>
    byLargest(before.maxAgeDays, after.maxAgeDays, [...path, 'maxAge']),
  ),
  notify: neverWeaker,
  access: byOrder('full', 'declared', 'none'),
  guards: (before, after, path) => findIn(guards, before, after, path),
  removed: (before, after, path) => findIn(removed, before, after, path),
  sets: neverWeaker,
  externalAccounts: (before, after) => byGained(before, after, ['accounts', 'external']),
  protect: byLost,
}

function findIn<Part extends object>(
  parts: FindersByKey<Part>,
  before: Part,
  after: Part,
  path: readonly string[],
): readonly Weakening[] {
  return (Object.keys(parts) as (keyof Part & string)[]).flatMap((key) =>
    parts[key](before[key], after[key], [...path, key]),
  )
}

/** `commit`: of the base. */
export function findWeakerSettings(before: Side, after: Side, commit: string | null): WeakenedProtection[] {
  return findIn(finders, withoutCovered(before.project, after.project), after.project, []).map(({ path, says }) => {
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
  return valueAt(root, own) === undefined ? undefined : placeIn({ root, source, elsewhere }, own, 'key')
}
