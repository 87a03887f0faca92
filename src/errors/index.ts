// The tree of errors, by who must act: author, operator, platform, us.

export { byCount, formatCount, formatNumber } from './counts.ts'
export {
  AccessError,
  effectIsUnknown,
  type FailureKind,
  failureCodes,
  isLackingKind,
  isLocked,
  PlatformError,
  type PlatformFailure,
  saysLacking,
  tokenPath,
} from './platform-error.ts'
export {
  comparePlaces,
  compareProblems,
  distinctProblems,
  errorAt,
  formatPlace,
  inCode,
  type Place,
  type Problem,
} from './problem.ts'
export {
  type Actor,
  AuthorError,
  type ErrorDetails,
  InternalError,
  OperatorError,
  RefusedError,
  SvcsyncError,
  whyUnwritable,
} from './svcsync-error.ts'
