// The errors that svcsync throws on purpose, by who must act; those of the platform are in platform-error.ts.
import { formatCount } from './counts.ts'
import type { Problem } from './problem.ts'

/** The one who must act before the run can succeed. */
export type Actor = 'author' | 'operator' | 'platform' | 'svcsync'

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
