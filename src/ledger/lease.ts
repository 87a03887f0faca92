// The lease of a target spares people a collision; safety rests on the preconditions of each step.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'
import { RefusedError } from '@svcsync/errors/index.ts'
import {
  emptyTree,
  type Lease,
  type LedgerEntry,
  leaseIn,
  ledgerRefs,
  unstorable,
  writeLease,
} from './ledger-commit.ts'
import { fetchRefs, moveRef, type RefUpdate, type Remote } from './remote.ts'
import { refuseUnsigned, signEntry } from './signatures.ts'

interface LeaseHolder {
  readonly holder: string
  readonly where: string
  /** See `ownProcess`. */
  readonly process?: string | undefined
}

export interface LeaseSettings {
  readonly remote: Remote
  readonly target: string
  readonly self: LeaseHolder
  /** Milliseconds since 1970. */
  clock(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** The state of a lease: `held` until it is given back, or has run out; `dead`: the process that holds it has ended. */
interface ObservedLease {
  /** The commit of the ref; undefined: there was never one. */
  readonly entry: string | undefined
  readonly lease: Lease | undefined
  readonly state: 'free' | 'held' | 'expired' | 'dead'
  /** Why what is there is no lease, as the end of a sentence. */
  readonly flaw?: string | undefined
}

interface HeldLease {
  readonly name: string
  /** Aborted when somebody else has taken it over, or may have: it ran out and could not be renewed. */
  readonly lost: AbortSignal
  /** What gives it back after a complete apply, so that another push may do it. Undefined: it is lost. */
  giving(): Promise<RefUpdate | undefined>
  /** Hears that this has moved, so that nothing is left to give back. */
  given(): void
  /** Sentences for people. `came`: the apply finished, began work, or began nothing. Never rejects. */
  giveBack(came?: 'complete' | 'begun' | 'nothing'): Promise<readonly string[]>
}

/** Milliseconds for which it holds without being renewed. */
const lifetimeMs = 5 * 60_000
const renewalMs = 60_000
/** Clocks of two machines are not one. */
const skewMs = 60_000
const pollMs = 5_000
/** For giving it back, when somebody waits for the command to end. */
const releaseMs = 20_000

/** Undefined: the remote has none. */
export function observeLease(read: LedgerEntry | undefined, target: string, nowMs: number): ObservedLease {
  if (read === undefined) return { entry: undefined, lease: undefined, state: 'free' }
  const { id: entry } = read
  const lease = leaseIn(read, target)
  // A malformed lease binds nobody, and is replaced.
  if (typeof lease === 'string') return { entry, lease: undefined, state: 'free', flaw: lease }
  if (lease.until === undefined) return { entry, lease, state: 'free', flaw: lease.flaw }
  const untilMs = Date.parse(lease.until)
  // None is taken for longer: it would keep everybody away for as long as it likes.
  if (untilMs > nowMs + lifetimeMs + skewMs)
    return { entry, lease, state: 'free', flaw: `it lasts until ${lease.until}, longer than svcsync takes any` }
  if (untilMs + skewMs < nowMs) return { entry, lease, state: 'expired' }
  return { entry, lease, state: hasEnded(lease.process) ? 'dead' : 'held' }
}

/** This process, as this machine or container numbers it since its start. Undefined: it cannot be told. */
export function ownProcess(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const place = `${hostname()}\n${boot}\n${readlinkSync('/proc/self/ns/pid')}`
    return `${createHash('sha256').update(place).digest('hex').slice(0, 16)}:${process.pid}`
  } catch {
    return undefined
  }
}

/** Only what is sure: a number that another process has got since counts as alive. */
function hasEnded(holder: string | undefined): boolean {
  const [place, pid = ''] = holder?.split(':') ?? []
  if (!/^[1-9]\d{0,8}$/.test(pid) || place !== ownProcess()?.split(':')[0]) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

export async function readLeaseNow({ remote, target, clock }: LeaseSettings): Promise<ObservedLease> {
  const { lease: ref } = ledgerRefs(target)
  const read = (await fetchRefs(remote, [ref])).there.get(ref)
  await refuseUnsigned(remote, [{ ref, entry: read?.id }])
  return observeLease(read, target, clock())
}

interface LeaseWait {
  readonly timeoutMs: number
  onWait(lease: Lease): void
  readonly signal?: AbortSignal | undefined
  /** Leases that may be taken from whoever holds them. */
  readonly allowed?: readonly string[] | undefined
}

/** Since when somebody holds it, and not how often it was renewed, makes it this one. */
const shortLease = ({ holder, where, since }: Lease): string =>
  createHash('sha256').update(`${holder}\n${where}\n${since}`).digest('hex').slice(0, 8)

/** At most `timeoutMs`. `onWait` hears once of each holder. Rejects with a RefusedError that names the last. */
export async function awaitLease(
  seen: ObservedLease,
  settings: LeaseSettings,
  { timeoutMs, onWait, signal, allowed = [] }: LeaseWait,
): Promise<ObservedLease> {
  const { clock, sleep, target } = settings
  const begun = clock()
  let now = seen
  let announced: string | undefined
  while (now.state === 'held' && now.lease !== undefined && !allowed.includes(shortLease(now.lease))) {
    const leftMs = begun + timeoutMs - clock()
    if (leftMs <= 0 || signal?.aborted) throw refusal(now.lease, target, timeoutMs)
    const who = `${now.lease.holder} ${now.lease.since}`
    if (announced !== who) onWait(now.lease)
    announced = who
    await sleep(Math.min(pollMs, leftMs), signal)
    now = await readLeaseNow(settings)
  }
  return now
}

function refusal(lease: Lease, target: string, timeoutMs: number): RefusedError {
  const waited = timeoutMs === 0 ? '' : ', and did not release it in time'
  return new RefusedError('SVC2234', `Another apply to \`${target}\` is under way: ${describeLease(lease)}${waited}`, {
    hint:
      'Nothing was written. `--lease-timeout 10m` waits for it. ' +
      `The lease of a killed apply ends at ${leaseEnd(lease)}; if that apply is dead, run again with`,
    options: `--allow lease=${shortLease(lease)}`,
  })
}

/** When it can be taken over. */
function leaseEnd({ until }: Lease): string {
  return until === undefined ? 'now' : new Date(Date.parse(until) + skewMs).toISOString()
}

/** `anna on build-7 (since 2026-11-22T18:00:00.000Z) holds its lease`. */
export function describeLease({ holder, where, since }: Lease): string {
  return `${holder}${where === '' ? '' : ` (${where})`} holds its lease since ${since}`
}

/**
 * Takes it from what was seen of it. `begun`: what the platform may hold from now on besides what was applied;
 * `before`: until now. Rejects with a RefusedError where somebody else has held it since, and with an OperatorError
 * where the remote does not take it.
 */
export async function takeLease(
  seen: ObservedLease,
  settings: LeaseSettings,
  begun: Pick<Lease, 'begun' | 'after'> = nothingBegun,
  before = begun,
): Promise<HeldLease> {
  const { remote, target, self, clock, sleep } = settings
  const { lease: ref } = ledgerRefs(target)
  const since = new Date(clock()).toISOString()
  const name = randomUUID().replaceAll('-', '')
  const tree = emptyTree(remote.dir)
  // Nobody knows whether they are still at it, and what they give meanwhile was in no plan of this one.
  const isTakenOver = seen.state !== 'dead' && (seen.lease?.until !== undefined || seen.flaw !== undefined)
  const left = isTakenOver ? before.begun.filter((each) => begun.begun.includes(each)) : []
  const next = async (until?: number, content = begun): Promise<string> => {
    const end = until === undefined ? undefined : new Date(until).toISOString()
    const lease = { ...self, since, until: end, name, left, ...content }
    const entry = writeLease(remote.dir, lease, target, clock(), tree)
    // Pushing nothing would delete the ref, and with it the lease.
    if (entry === undefined) throw unstorable(`the lease of \`${target}\``)
    return signEntry(remote, entry)
  }
  let untilMs = clock() + lifetimeMs
  let entry = await next(untilMs)
  if ((await moveRef(remote, { ref, from: seen.entry, to: entry })) === 'raced') throw await raceRefusal(settings)
  const notes: string[] = []
  const lost = new AbortController()
  const ending = new AbortController()
  let isTaken = false
  let isGiven = false
  const hasRunOut = (): boolean => {
    if (clock() < untilMs) return false
    notes.push(`The lease of \`${target}\` expired before svcsync could renew it: another apply may hold it.`)
    lost.abort()
    return true
  }
  const renew = async (): Promise<void> => {
    const leaving = {
      ...remote,
      signal: AbortSignal.any([AbortSignal.timeout(releaseMs), ...(remote.signal ? [remote.signal] : [])]),
    }
    const later = clock() + lifetimeMs
    const renewed = await next(later)
    if ((await moveRef(leaving, { ref, from: entry, to: renewed })) === 'raced') {
      // It is lost whether or not somebody can say to whom.
      isTaken = true
      lost.abort()
      notes.push(await lossNote(settings))
      return
    }
    entry = renewed
    untilMs = later
  }
  const renewing = (async (): Promise<void> => {
    while (!lost.signal.aborted) {
      await sleep(renewalMs, ending.signal)
      if (ending.signal.aborted) return
      // A remote that cannot be reached is no reason to break an apply off, for as long as the lease lasts.
      if (hasRunOut()) return
      await renew().catch(hasRunOut)
    }
  })()
  /** Made once: it may have arrived without an answer. */
  let completion: RefUpdate | undefined
  const complete = async (): Promise<RefUpdate> => {
    completion ??= { ref, from: entry, to: await next(undefined, { begun: left, after: undefined }) }
    return completion
  }
  return {
    name,
    lost: lost.signal,
    async giving() {
      ending.abort()
      await renewing
      return lost.signal.aborted ? undefined : complete()
    },
    given() {
      isGiven = true
    },
    async giveBack(came = 'begun') {
      ending.abort()
      await renewing
      if (isTaken || isGiven) return notes
      const leaving = { ...remote, signal: AbortSignal.timeout(releaseMs) }
      const free = async () => ({ ref, from: entry, to: await next(undefined, came === 'begun' ? begun : before) })
      const giving = async () => moveRef(leaving, await (came === 'complete' ? complete() : free()))
      const back = await giving().catch(() => undefined)
      if (back === 'raced') return [...notes, `The lease of \`${target}\` was taken over while the apply ran.`]
      if (back === 'moved') return notes
      return [
        ...notes,
        `The lease of \`${target}\` could not be released: it expires at ${new Date(untilMs).toISOString()}.`,
      ]
    },
  }
}

async function lossNote(settings: LeaseSettings): Promise<string> {
  const lease = await readLeaseNow(settings).then(
    (now) => now.lease,
    () => undefined,
  )
  const who = lease === undefined ? 'it was taken away' : describeLease(lease)
  return `The lease of \`${settings.target}\` was lost: ${who}.`
}

const nothingBegun = { begun: [], after: undefined } as const

async function raceRefusal(settings: LeaseSettings): Promise<RefusedError> {
  const { lease } = await readLeaseNow(settings)
  const who =
    lease === undefined ? 'its lease has changed' : `${lease.holder}${lease.where === '' ? '' : ` (${lease.where})`}`
  return new RefusedError(
    'SVC2235',
    `Another apply to \`${settings.target}\` has begun since this one was planned: ${who}`,
    {
      hint: 'Nothing was written. Run `svcsync apply` again: it plans again.',
    },
  )
}
