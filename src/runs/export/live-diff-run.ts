// Compares two installations: each as its export declares it, so that one comparison serves both.
import { join } from 'node:path'
import { asWrittenDirectory } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { compareDeclared, type DeclaredDifference, divideDifferences } from '@svcsync/core/compare/compare-declared.ts'
import { canonicalJson, isMapping, type Json } from '@svcsync/core/model/json.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'
import type { Diff } from '@svcsync/core/plan/diff.ts'
import type { Exported } from '@svcsync/export/export-files.ts'
import { loadManifests } from '@svcsync/manifests/load-manifests.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import { accessOf, byNamesOfDatabases } from '../open/diff-run.ts'
import type { ReadProject } from '../open/open-project.ts'

type AccessSource = Parameters<typeof accessOf>[0]

interface LiveSide {
  readonly read: ReadProject
  /** With references as written: what is secret does not depend on what is set here. */
  readonly written: AccessSource
  readonly exported: Pick<Exported, 'files' | 'leftOut'>
}

/** `declared`: the same of what the two targets declare. */
export function liveDiff(first: LiveSide, second: LiveSide, declared: Diff): Diff {
  const [one, other] = [first, second].map(asDeclared) as [LiveDeclared, LiveDeclared]
  const notCompared = [first, second].flatMap(({ exported, read }) =>
    exported.leftOut.map(({ address, field, reason, isUntold: isNoFailure = false }) => ({
      ...{ address, isNoFailure },
      reason: [read.project.targetName, ...(field === undefined ? [] : [field]), reason].join(': '),
    })),
  )
  const untold = [first, second].flatMap(({ exported }) => exported.leftOut.map(({ address }) => address))
  // A list that was not read is named by its beginning.
  const isUntold = (address: string): boolean =>
    untold.some((each) => address === each || address.startsWith(`${each}/`))
  const all = compareDeclared(one.desired, other.desired).flatMap(({ place: _, ...each }) => {
    // An export leaves out what another field tells.
    const fields = each.fields.filter(({ before, after }) => (before ?? null) !== (after ?? null))
    const isAny = each.on !== 'both' || fields.length + each.lists.length > 0
    return isAny && !isUntold(each.address) ? [{ ...each, fields }] : []
  })
  const { shared, own } = divideDifferences(all, declared.explained)
  const known = new Map(declared.explained.map((each) => [each.address, each]))
  const [explained, strange] = [true, false].map((isSo) =>
    shared.flatMap((each) => partOf(each, known.get(each.address), isSo)),
  )
  const withoutSecrets = maskedBy([...one.secrets, ...other.secrets])
  const holds = new Set(declared.access.filter(({ isExplained }) => isExplained).map(accessKey))
  return {
    ...{ first: declared.first, second: declared.second, of: 'installations', variables: [], notCompared },
    differences: compareTogether([...own, ...(strange ?? [])]).map(withoutSecrets),
    explained: (explained ?? []).map(withoutSecrets),
    access: accessOf(one, other).map((entry) => ({ ...entry, isExplained: holds.has(accessKey(entry)) })),
  }
}

const accessKey = ({ on, subject, level, address, company }: Omit<Diff['access'][number], 'isExplained'>): string =>
  JSON.stringify([on, subject?.toLowerCase(), level, address, company])

interface LiveDeclared extends AccessSource {
  readonly secrets: readonly SecretField[]
}

/** A field whose declared value comes from the environment or a file: what is live there is shown to nobody. */
interface SecretField {
  readonly address: string
  readonly path: string
}

function maskedBy(secrets: readonly SecretField[]): (difference: DeclaredDifference) => DeclaredDifference {
  const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`)
  const isSecret = (of: string, path: string): boolean =>
    secrets.some(({ address, path: own }) => address === of && (isWithin(path, own) || isWithin(own, path)))
  return (difference) => {
    const { address, fields } = difference
    return {
      ...difference,
      fields: fields.map((field) => (isSecret(address, field.path) ? { path: field.path, masked: true } : field)),
    }
  }
}

function secretPaths(value: unknown, path: readonly string[] = []): readonly string[] {
  if (value instanceof Sensitive) return [path.join('.')]
  if (Array.isArray(value)) return value.flatMap((part) => secretPaths(part, path))
  return isMapping(value) ? Object.entries(value).flatMap(([key, part]) => secretPaths(part, [...path, key])) : []
}

function asDeclared({ read: asked, written, exported }: LiveSide): LiveDeclared {
  const read = byNamesOfDatabases(asked)
  const { project, assembly } = read
  const { kinds, target } = project
  const files = exported.files.map(({ file }) => join(project.dir, '.live', file))
  const texts = new Map(exported.files.map(({ file, text }, at) => [files[at] as string, new TextSource(file, text)]))
  const loaded = loadManifests({
    ...{ files, texts, kinds, variables: {}, env: {}, asWritten: true, withhold: { anywhereIn: [] } },
    ...{ projectDir: project.dir, displayBase: project.dir, timeZone: project.settings.timeZone },
  })
  const directory = asWrittenDirectory(target.databases, kinds, target.name)
  const settings = { ...assembly, overrides: new Set<string>(), sets: new Map() }
  const secrets = written.desired.flatMap(({ address, spec }) => secretPaths(spec).map((path) => ({ address, path })))
  return { read, desired: assembleDesired(loaded.declarations, directory, settings).desired, secrets }
}

/** The fields that differ like the declarations: those with the declared values, or those with others. */
function partOf(
  live: DeclaredDifference,
  declared: DeclaredDifference | undefined,
  isExplained: boolean,
): readonly DeclaredDifference[] {
  if (live.on !== 'both' || declared === undefined) return isExplained ? [live] : []
  const fields = live.fields.filter((field) => {
    const same = declared.fields.find(({ path }) => path === field.path)
    return (isAlike(field.before, same?.before) && isAlike(field.after, same?.after)) === isExplained
  })
  const lists = live.lists.filter((list) => {
    const same = declared.lists.find(({ path }) => path === list.path)
    return (isAlike(list.added, same?.added) && isAlike(list.removed, same?.removed)) === isExplained
  })
  return fields.length + lists.length > 0 ? [{ ...live, fields, lists }] : []
}

/** Values from the environment or a file are unknown here. */
function isAlike(live: unknown, declared: unknown): boolean {
  const text = canonicalJson((declared ?? null) as Json)
  return /\$\{(?:env|file):/.test(text) || canonicalJson((live ?? null) as Json) === text
}

/** Parts of one object are one difference again. */
function compareTogether(all: readonly DeclaredDifference[]): readonly DeclaredDifference[] {
  const known = new Map<string, DeclaredDifference>()
  for (const each of all) {
    const other = known.get(each.address)
    const whole = other && { fields: [...other.fields, ...each.fields], lists: [...other.lists, ...each.lists] }
    known.set(each.address, { ...each, ...whole })
  }
  return [...known.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
}
