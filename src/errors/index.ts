// The tree of errors, by who must act: author, operator, platform, us.
export { AuthorError } from './author-error.ts'
export { failureCodes } from './failure-codes.ts'
export { InternalError } from './internal-error.ts'
export { OperatorError, RefusedError } from './operator-error.ts'
export { comparePlaces, formatPlace, type Place } from './place.ts'
export { AccessError, type FailureKind, PlatformError, type PlatformFailure } from './platform-error.ts'
export { compareProblems, type Problem } from './problem.ts'
export { type Actor, type ErrorDetails, SvcsyncError } from './svcsync-error.ts'
