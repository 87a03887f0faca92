// Accepts what `drift --access` shows: writes exceptions into the baseline, with the comments that are there.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { type AccessException, exceptionKey } from '@svcsync/core/access/accepted-access.ts'
import type { accessDriftOf } from '@svcsync/core/access/access-drift.ts'
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { addressMatcher, type NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { entry, item, literal, mapping } from '@svcsync/export/yaml-node.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { putInPlace, writeAtomically } from '@svcsync/files/write-atomically.ts'
import { formatText } from '@svcsync/format/format-text.ts'
import { type CollectionNode, isCollection, type LayoutNode, Unformattable } from '@svcsync/format/layout.ts'
import { printLayout } from '@svcsync/format/print-layout.ts'
import { readLayout } from '@svcsync/format/read-layout.ts'
import { baselineFile, baselineShapeOf, exceptionKeys } from '@svcsync/project/access-baseline.ts'
import { parse } from 'yaml'
import type { ReadProject } from '../open/open-project.ts'

interface Acceptance {
  readonly person?: string | undefined
  readonly level?: string | undefined
  /** An address, or a glob over addresses. */
  readonly object?: string | undefined
  readonly company?: string | undefined
  readonly until: string
  readonly reason: string
}

type Opened = Pick<ReadProject, 'project' | 'assembly'>

/** Throws an OperatorError for an end that is none, or over. */
export function checkUntil(until: string, { project, assembly }: Opened): void {
  const untilMs = boundMs(until, true, project.settings.timeZone)
  if (untilMs !== undefined && untilMs > assembly.time.nowMs) return
  throw new OperatorError(
    'SVC2283',
    untilMs === undefined
      ? `\`--until ${until}\` is neither a date nor a moment with its offset`
      : `\`--until ${until}\` is over: nothing would be accepted`,
    { hint: 'Write a day to come, like `2027-03-31`, or a moment like `2027-03-31T18:00:00+01:00`.' },
  )
}

/** What of the drift is meant. Throws an OperatorError where nothing is. */
export function chooseUndeclared(
  { judged }: Pick<ReturnType<typeof accessDriftOf>, 'judged'>,
  wanted: Acceptance,
  { normalise, kinds }: { readonly normalise: NormaliseSvcId; readonly kinds: readonly Kind[] },
): AccessEntry[] {
  const { person, level, object, company } = wanted
  // A level that the platform does not tell cannot be accepted.
  const all = judged.open.filter((each) => each.level !== null)
  const isObject = object === undefined ? () => true : addressMatcher(object, kinds)
  const chosen = all.filter(
    (each) =>
      (person === undefined || normalise(String(each.subject)) === normalise(person)) &&
      (level === undefined || each.level === level) &&
      (company === undefined || each.company === company) &&
      isObject(each.address),
  )
  if (chosen.length > 0) return chosen
  const near =
    (person !== undefined && suggestion(person, new Set(all.flatMap(({ subject }) => subject ?? [])))) ||
    (object !== undefined && suggestion(object, new Set(all.map(({ address }) => address))))
  throw new OperatorError('SVC2294', 'There is nothing to accept: svcsync found no such undeclared access', {
    hint:
      all.length === 0
        ? 'Access that is declared or accepted needs no exception.'
        : near || '`svcsync drift --access` lists undeclared access.',
  })
}

/** One line for each; who has one gets the new end and reason. Writes the file, and gives its path. */
export function acceptAccess(
  { project, assembly }: Opened,
  chosen: readonly AccessEntry[],
  { until, reason }: Acceptance,
  kinds: readonly Kind[],
): string {
  const path = baselineFile(project)
  const isThere = existsSync(path)
  const real = isThere ? realpathSync(path) : path
  if (isThere && !liesWithin(realpathSync(project.dir), real)) {
    throw unwritable('it is a link that leads out of the project', 'Put the file itself there.')
  }
  const before = isThere ? readFileSync(real, 'utf8') : firstText
  const { targetName: target } = project
  const wanted = chosen.map(({ subject, level, address, company }) => ({
    ...{ person: String(subject), level: String(level), object: address, target, until, reason },
    company: company ?? undefined,
  }))
  const text = withExceptions(before, wanted, assembly.normalise)
  const laidOut = formatText(text, baselineShapeOf(kinds))
  if ('refused' in laidOut) throw unwritable(`it ${laidOut.refused}`, cannotEdit)
  if (isThere) writeAtomically(real, laidOut.text)
  else putInPlace(path, laidOut.text, 0o644)
  return path
}

type Written = Pick<AccessException, 'person' | 'level' | 'object' | 'until' | 'reason'> & {
  readonly company: string | undefined
  readonly target: string
}

const cannotEdit = 'Write the exceptions by hand, or in another way: see the page about access.'

const firstText = `# What people can do that no manifest declares, and that was accepted: see \`svcsync access accept\`.

exceptions:
`

function unwritable(why: string, hint: string): OperatorError {
  return new OperatorError('SVC2295', `\`access-baseline.yaml\` cannot be written: ${why}`, { hint })
}

/** The text as it was, with these exceptions in it. */
function withExceptions(text: string, wanted: readonly Written[], normalise: NormaliseSvcId): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  try {
    const documents = readLayout(text.slice(mark.length).replaceAll('\r\n', '\n'))
    const held = documents[0]?.root?.entries.find(({ key }) => key?.name === 'exceptions')
    if (held === undefined) throw unwritable('it has no `exceptions:`', cannotEdit)
    const { value } = held
    const old = isCollection(value) && value.type === 'sequence' ? value : undefined
    const list: CollectionNode = {
      ...{ type: 'sequence', props: value.props, flow: false, column: 0 },
      ...{ header: old?.header ?? [], entries: [...(old?.entries ?? [])], trailing: old?.trailing ?? [] },
    }
    const known = new Map<string, CollectionNode>()
    for (const each of list.entries) {
      if (!isCollection(each.value)) continue
      each.value.wide = true
      known.set(keyOfItem(each.value, normalise), each.value)
    }
    for (const each of wanted) {
      const key = fullKey(each, normalise)
      const same = known.get(key)
      if (same !== undefined) {
        renew(same, each)
        continue
      }
      const node = itemOf(each)
      known.set(key, node)
      list.entries.push(item(node))
    }
    held.value = list
    return `${mark}${printLayout(documents).replaceAll('\n', lineBreak)}`
  } catch (error) {
    if (!(error instanceof Unformattable)) throw error
    throw unwritable(`it ${error.reason}`, cannotEdit)
  }
}

function itemOf(wanted: Written): CollectionNode {
  const entries = exceptionKeys.flatMap((key) => {
    const text = wanted[key]
    return text === undefined ? [] : [entry(key, yamlOf(key, text))]
  })
  return Object.assign(mapping(entries, { flow: true }), { wide: true as const })
}

/** A date is read as a text here, and stands as manifests have it. The file follows no references. */
function yamlOf(key: string, text: string): LayoutNode {
  if (key !== 'until') return literal(text)
  return { type: 'scalar', props: [], lines: [text], alias: undefined }
}

function renew(node: CollectionNode, { until, reason }: Written): void {
  for (const [key, text] of Object.entries({ until, reason })) {
    const there = node.entries.find((each) => each.key?.name === key)
    if (there === undefined) node.entries.push(entry(key, yamlOf(key, text)))
    else there.value = yamlOf(key, text)
  }
}

function keyOfItem(node: CollectionNode, normalise: NormaliseSvcId): string {
  const text = (key: string): string | undefined => {
    const value = node.entries.find((each) => each.key?.name === key)?.value
    if (value?.type !== 'scalar') return undefined
    const [line = ''] = value.lines
    return plainOf(line)
  }
  return fullKey(
    {
      ...{ person: text('person') ?? '', level: text('level') ?? '', object: text('object') ?? '' },
      ...{ company: text('company'), target: text('target') },
    },
    normalise,
  )
}

/** A scalar in one line, without its quotes. */
function plainOf(line: string): string {
  if (!/^['"]/.test(line)) return line
  try {
    return String(parse(line))
  } catch {
    return line
  }
}

function fullKey(
  each: Pick<AccessException, 'person' | 'level' | 'object' | 'company' | 'target'>,
  normalise: NormaliseSvcId,
): string {
  return `${exceptionKey(each, normalise)} ${each.company ?? ''} ${each.target ?? ''}`
}
