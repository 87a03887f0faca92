// Reads each object again when the last of its steps has ended well, and compares it with what was wanted.
import { believedAs, believedLive, listAfterChange } from '@svcsync/core/compare/believed-list.ts'
import { type Change, changeOf, kindOf } from '@svcsync/core/compare/change.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { elementKey, elementName, subjectKey } from '@svcsync/core/model/elements.ts'
import type { Kind, LivePart } from '@svcsync/core/model/kind.ts'
import { type Live, liveOf } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { concealSecrets } from '@svcsync/core/model/sensitive.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { differencesOf } from '@svcsync/core/plan/describe-change.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { ApplyReport, Outcome } from '@svcsync/core/plan/report.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import { fewObjects, readLive } from '@svcsync/live/read-live.ts'
import { readBack } from './read-back.ts'
import type { createRunState } from './run-state.ts'
import { endedWell } from './step-result.ts'

interface VerificationOptions {
  readonly port: PlatformPort
  readonly pageSize: number
  sleep(delayMs: number): Promise<void>
  selfOf(address: string): string | undefined
  /** Keys of accounts that the plan deletes: what they had goes with them. */
  readonly deleted: ReadonlySet<string>
  readonly kinds: ReadonlyMap<string, Kind>
  readonly run: ReturnType<typeof createRunState>
  onVerified(objects: number): void
}

export function createVerifications(
  { steps }: Plan,
  changeAt: ReadonlyMap<string, Change>,
  options: VerificationOptions,
) {
  const left = new Map<string, number>()
  for (const { address } of steps) left.set(address, (left.get(address) ?? 0) + 1)
  const unwell = new Set<string>()
  const lastSeen = new Map<string, LivePart | undefined>()
  const begun: Promise<void>[] = []
  /** Kinds with one list of whole objects: after all writes, one look shows every object. */
  const listed: { readonly change: Change; readonly desired: Desired }[] = []
  const unequal: ApplyReport['verified']['unequal'][number][] = []
  const unverifiable: NonNullable<ApplyReport['verified']['unverifiable']>[number][] = []
  let equal = 0

  const verify = async (change: Change, seen: Live | undefined): Promise<void> => {
    if (options.run.isOver()) return
    const verified = await verifyObject(change, seen, options)
    if (options.run.isOver()) return
    if ('unequal' in verified) unequal.push(verified.unequal)
    else {
      equal++
      const { unverifiable: paths } = verified
      if (paths.length > 0) unverifiable.push({ address: change.address, paths })
    }
    options.onVerified(equal + unequal.length)
  }
  /** An object that the list does not show as wanted is read by itself, as usual. */
  const verifyListed = async (): Promise<void> => {
    const wanted = listed.map(({ desired }) => desired)
    const isWorthIt = wanted.length > fewObjects && !options.run.isOver()
    const found = isWorthIt
      ? await readLive(options.port, wanted, options).catch((error: unknown) => {
          if (!(error instanceof PlatformError)) throw error
        })
      : undefined
    for (const { change } of listed)
      begun.push(verify(change, found?.objects.get(change.address)).catch(options.run.broke))
  }
  return {
    /** The last state that synchronisation saw of the step's object, which saves a read. */
    seen: ({ address }: Step, live: LivePart | undefined): void => {
      lastSeen.set(address, live)
    },
    stepEnded(step: Step, outcome: Outcome): void {
      const { address } = step
      if (!endedWell(outcome)) unwell.add(address)
      const remaining = (left.get(address) as number) - 1
      left.set(address, remaining)
      const change = changeAt.get(address)
      if (remaining > 0 || unwell.has(address) || change === undefined) return
      const { desired } = change
      if (desired !== undefined && hasWholeList(kindOf(change))) {
        listed.push({ change, desired })
        return
      }
      const seen = wholeObject(step, change, lastSeen.get(address), options)
      lastSeen.delete(address)
      begun.push(verify(change, seen).catch(options.run.broke))
    },
    async all() {
      await verifyListed().catch(options.run.broke)
      await Promise.all(begun)
      return { equal, unequal, unverifiable, unverified: begun.length - equal - unequal.length }
    },
  }
}

function hasWholeList(kind: Kind): boolean {
  return kind.lifecycle === 'found' && kind.parseItem === undefined && kind.requests.list?.({})?.paged === false
}

/** The object as the watcher saw it, where what it read was the whole object. */
function wholeObject(
  step: Step,
  change: Change,
  seen: LivePart | undefined,
  { kinds, port }: VerificationOptions,
): Live | undefined {
  const kind = kinds.get(step.kind) as Kind
  if (seen === undefined || kind.parseItem !== undefined) return undefined
  return liveOf(seen, { kind, address: change.address, at: { ...step.at, self: seen.self } }, port.normalise)
}

/** Some installations show a write a moment late, so a difference counts after three looks. */
const lookDelaysMs = [0, 250, 1000] as const

type Verification =
  | { readonly unverifiable: readonly string[] }
  | { readonly unequal: ApplyReport['verified']['unequal'][number] }

/** `seen`: as it was just read, where that was whole; it saves a request. */
async function verifyObject(
  change: Change,
  seen: Live | undefined,
  context: VerificationOptions,
): Promise<Verification> {
  const { address, desired } = change
  const kind = kindOf(change)
  let result: Verification = { unverifiable: [] }
  for (const delayMs of lookDelaysMs) {
    if (delayMs > 0) await context.sleep(delayMs)
    let live = delayMs === 0 ? seen : undefined
    try {
      const self = context.selfOf(address)
      const at = { ...desired?.at, ...change.live?.at, ...(self !== undefined && { self }) }
      live ??= await readBack(context.port, kind, address, at, {
        pageSize: context.pageSize,
        before: change.live?.name,
      })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      result = { unequal: { address, differences: [], reason: concealSecrets(error.message, desired?.spec) } }
      continue
    }
    result = compare(change, live, context)
    if ('unverifiable' in result) return result
  }
  return result
}

function compare(change: Change, live: Live | undefined, context: VerificationOptions): Verification {
  const { address, desired } = change
  const unequal = (reason: string): Verification => ({ unequal: { address, differences: [], reason } })
  if (change.action === 'delete' || desired === undefined) {
    return live === undefined ? { unverifiable: [] } : unequal('it is still there')
  }
  if (live === undefined) return unequal('it is not there')
  const found = believedAs(live, (name) => listAfterChange(change, name))
  const sent = changeOf(desired, found)
  const left = sent.action === 'none' ? asNextPlanned(desired, live, sent) : sent
  const reason = takenBeside(change, found, context) ?? (left === sent ? undefined : fewerLines)
  if (left.action === 'none' && reason === undefined) return { unverifiable: left.unverifiable }
  const differences = differencesOf(left)
  return { unequal: { address, differences, ...(reason !== undefined && { reason }) } }
}

const fewerLines = 'the platform lists an account fewer times than it was given levels: it may keep one of them'

/** Without a base, the next plan knows no levels but those that an account has enough lines for. */
function asNextPlanned(desired: Desired, live: Live, sent: Change): Change {
  if (desired.since !== undefined || desired.isNew) return sent
  const next = changeOf(desired, believedLive(desired, live))
  return next.action === 'none' ? sent : next
}

/** Some installations remove every level of a subject with one, so unplanned losses are reported, managed or not. */
function takenBeside(change: Change, live: Live, { deleted }: VerificationOptions): string | undefined {
  const taken: string[] = []
  for (const { collection, removed } of change.collections) {
    if (removed.length === 0) continue
    const subjects = new Set(removed.map(subjectKey))
    const left = new Set([...removed, ...(live.collections[collection] ?? [])].map(elementKey))
    for (const element of change.live?.collections[collection] ?? []) {
      const subject = subjectKey(element)
      if (!subjects.has(subject) || deleted.has(subject) || left.has(elementKey(element))) continue
      taken.push(`${elementName(element)} ${element.level ?? ''}`.trim())
    }
  }
  return taken.length === 0 ? undefined : `the platform removed more than svcsync sent: ${taken.join(', ')}`
}
