// The tree of errors, by who must act: author, operator, platform, us.

/** `1,234`. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 object`, `2 objects`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${byCount(count, singular, plural)}`
}

/** Chooses the word that agrees with a number: `is` or `are`, `it` or `them`. */
export function byCount<const One, const Several>(count: number, one: One, several: Several): One | Several {
  return count === 1 ? one : several
}

/** One finding about what a person wrote: data, so that all can be shown together, each with its place. */
export interface Problem {
  /** Stable and documented, e.g. `SVC1203`. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** The mistake, in one sentence without a full stop at the end of a name. */
  readonly message: string
  readonly place?: Place | undefined
  /** The address of the object concerned, when it is known. */
  readonly address?: string | undefined
  /** The svcId of the account concerned, where nobody knows it. */
  readonly account?: string | undefined
  /** The targets that have the problem, if others of the project do not. */
  readonly targets?: readonly string[] | undefined
  /** The remedy, in one sentence. */
  readonly hint?: string | undefined
  /** Other places that belong to the same finding, e.g. the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[] | undefined
}

/** An error in what a person wrote. */
export function errorAt(code: string, message: string, place: Place | undefined, hint?: string): Problem {
  return { code, severity: 'error', message, place, hint }
}

/** Orders by place (problems without one come last), then code, then message. */
export function compareProblems(a: Problem, b: Problem): number {
  if (a.place && b.place) {
    const byPlace = comparePlaces(a.place, b.place)
    if (byPlace !== 0) return byPlace
  } else if (a.place || b.place) {
    return a.place ? -1 : 1
  }
  if (a.code !== b.code) return a.code < b.code ? -1 : 1
  return a.message < b.message ? -1 : a.message > b.message ? 1 : 0
}

/** Sorted, each once: an anchored value is read wherever it is used, and may be wrong each time. */
export function distinctProblems(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || problem.place === undefined || compareProblems(before, problem) !== 0
  })
}

/** A place in a file that a person wrote. */
export interface Place {
  /** Path as it should be shown: relative to the working folder where possible, with forward slashes. */
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 code units. */
  readonly column: number
}

/** `file:line:column`, the form that terminals and editors turn into links. */
export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`
}

/** Orders by file, then line, then column. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}

/** A name in a sentence, as code: between more backticks than it holds itself, as Markdown has it. */
export function inCode(name: unknown): string {
  const text = String(name)
  if (!text.includes('`')) return `\`${text}\``
  const fence = '`'.repeat(1 + Math.max(...Array.from(text.matchAll(/`+/g), ([run]) => run.length)))
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** The one who must act before the run can succeed. */
type Actor = 'author' | 'operator' | 'platform' | 'svcsync'

export interface ErrorDetails {
  /** The remedy, in one sentence. */
  readonly hint?: string | undefined
  /** The address of the object concerned. */
  readonly address?: string | undefined
  readonly cause?: unknown
}

/** An error with a stable code, the party that must act, and a hint. Its text never holds a secret. */
export abstract class SvcsyncError extends Error {
  abstract readonly actor: Actor
  /** Stable, documented, e.g. `SVC2101`. */
  readonly code: string
  readonly hint: string | undefined
  readonly address: string | undefined

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.hint = details.hint
    this.address = details.address
  }
}

/** The manifests or the project file are unusable. Carries every problem, in order of place. */
export class AuthorError extends SvcsyncError {
  readonly actor = 'author'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error').length
    super('SVC1000', formatCount(errors, 'problem in the manifests', 'problems in the manifests'))
    this.problems = problems
  }
}

/** The one who runs the command must act: wrong options, credentials, missing files, an unusable target. */
export class OperatorError extends SvcsyncError {
  readonly actor = 'operator'
  /** The findings, each with its place; the message holds them as well, a line each. */
  readonly findings: readonly string[]

  constructor(code: string, message: string, details: ErrorDetails & { readonly findings?: readonly string[] } = {}) {
    super(code, [message, ...(details.findings ?? []).map((finding) => `  ${finding}`)].join('\n'), details)
    this.findings = details.findings ?? []
  }
}

/** The run was refused before the first write: a guard, or a plan that is stale or meant for another target. */
export class RefusedError extends SvcsyncError {
  readonly actor = 'operator'
  /** Every reason, each a sentence. */
  readonly reasons: readonly string[]
  /** Options with which the run would not be refused, as they are written in a shell. */
  readonly options: string | undefined

  constructor(code: string, message: string, details: RefusalDetails = {}) {
    super(code, message, details)
    this.reasons = details.reasons ?? []
    this.options = details.options
  }
}

interface RefusalDetails extends ErrorDetails {
  readonly reasons?: readonly string[]
  readonly options?: string | undefined
}

/** Something that svcsync itself promised does not hold: a defect of ours. */
export class InternalError extends SvcsyncError {
  readonly actor = 'svcsync'

  constructor(message: string, cause?: unknown) {
    super('SVC9000', message, {
      cause,
      hint: 'This is a defect in svcsync: please report it with the command that you ran.',
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  ENODEV: 'it is a device or a pipe, and no file',
  // The system reports it for a pipe without reader, and for a socket.
  ENXIO: 'it is a device or a pipe, and no file',
  EACCES: 'the system does not let svcsync',
  EPERM: 'the system does not let svcsync',
  EBUSY: 'another program has it open',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it is larger than a file may be there',
  ENAMETOOLONG: 'its name is too long',
}

/** The end of a sentence; the code itself where there are no words for it. */
export function whyUnwritable(code: string): string {
  return reasons[code] ?? code
}

/** The kind of failure of a call, which decides if its effect is known. */
type FailureKind =
  /** An HTTP answer with a status of 400 or more. */
  | 'status'
  /** The connection could not be made: nothing was sent. */
  | 'unreachable'
  /** The connection broke or timed out after the request may have been sent: the effect is unknown. */
  | 'lost'
  /** An answer of 2xx that is no JSON where JSON is needed, or was cut short. */
  | 'unreadable'

export interface PlatformFailure {
  readonly kind: FailureKind
  readonly method: string
  /** Path without the query and without the base address: it holds no secret. */
  readonly path: string
  readonly status?: number | undefined
  /** The platform's own error kind, e.g. `ResourceIsLocked`. */
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly errorGuid?: string | undefined
  /** It came with a `Retry-After`. */
  readonly asksToWait?: boolean | undefined
}

/** A call to the platform failed. Source: the error object of the reference, and facts on statuses. */
export class PlatformError extends SvcsyncError implements PlatformFailure {
  readonly actor: Actor = 'platform'
  readonly kind: FailureKind
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly type: string | undefined
  readonly description: string | undefined
  readonly errorGuid: string | undefined
  readonly asksToWait: boolean

  constructor(code: string, message: string, failure: PlatformFailure, details: ErrorDetails = {}) {
    super(code, message, details)
    this.kind = failure.kind
    this.method = failure.method
    this.path = failure.path
    this.status = failure.status
    this.type = failure.type
    this.description = failure.description
    this.errorGuid = failure.errorGuid
    this.asksToWait = failure.asksToWait === true
  }
}

/** The token was refused, or lacks a scope: the operator must look at the credentials or scopes. */
export class AccessError extends PlatformError {
  override readonly actor: Actor = 'operator'
}

/** Path below the authentication address. Source: reference, authentication. */
export const tokenPath = '/api/oauth2/token'

/**
 * True if a failed call may have succeeded: the caller must read back before it repeats. 429 and every status below 500
 * are refusals; so is 503 with Retry-After, which gateways do not send when a connection broke after the request.
 * Without a token, nothing was sent.
 */
export function effectIsUnknown(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.method === 'GET' || error.path === tokenPath) return false
  if (error.kind === 'lost' || error.kind === 'unreadable') return true
  const { kind, status = 0, asksToWait } = error
  return kind === 'status' && status >= 500 && status !== 501 && !(status === 503 && asksToWait)
}

/** True if the installation lacks a kind, such as licences, by its build or licence. Source: facts on error types. */
export function isLackingKind(error: unknown): error is PlatformError {
  return error instanceof PlatformError && saysLacking(error.type)
}

/** By the type of an error. */
export function saysLacking(type: string | undefined): boolean {
  return type === 'UnsupportedInstallationType' || type === 'UnsupportedLicensingType'
}

/** True if the object is locked for the moment, so that waiting helps. Source: facts on 409. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.kind !== 'status') return false
  return error.status === 423 || (error.status === 409 && error.type === 'ResourceIsLocked')
}

export const failureCodes = {
  // Nothing reached the platform.
  unreachable: 'SVC3001',
  nameNotFound: 'SVC3002',
  tlsFailed: 'SVC3003',
  proxyFailed: 'SVC3004',
  interrupted: 'SVC3005',
  heldBack: 'SVC3006',
  platformDown: 'SVC3007',
  memoryUsedUp: 'SVC3068',
  // The request may have been carried out.
  connectionLost: 'SVC3010',
  timedOut: 'SVC3011',
  // An answer that cannot be used.
  notJson: 'SVC3020',
  cutShort: 'SVC3021',
  redirected: 'SVC3022',
  listMissing: 'SVC3023',
  endlessList: 'SVC3024',
  otherShape: 'SVC3025',
  tooLarge: 'SVC3026',
  notHttp: 'SVC3027',
  // An answer that says no.
  rejected: 'SVC3030',
  notFound: 'SVC3031',
  notAllowedHere: 'SVC3032',
  conflict: 'SVC3033',
  locked: 'SVC3034',
  tooManyRequests: 'SVC3035',
  serverFailed: 'SVC3036',
  // Access.
  tokenRefused: 'SVC3040',
  permissionMissing: 'SVC3041',
  credentialsRefused: 'SVC3042',
  scopesMissing: 'SVC3043',
  tokenAddressWrong: 'SVC3044',
  tokenUnusable: 'SVC3045',
  // Settings of the connection.
  addressUnusable: 'SVC3050',
  addressInsecure: 'SVC3051',
  certificateFileUnreadable: 'SVC3052',
  wireNamesAmbiguous: 'SVC3053',
  segmentUnusable: 'SVC3054',
  credentialsEmpty: 'SVC3055',
  proxyUnusable: 'SVC3056',
  // An answer that is not believed.
  otherObject: 'SVC3060',
  foreignNotFound: 'SVC3061',
  noIdentity: 'SVC3062',
  listDisproved: 'SVC3063',
} as const
