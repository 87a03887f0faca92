// Rules of the users' own: reads them, and asks them about objects and changes.
export { checkChanges, checkDesired, checkExceptions, type PolicyContext } from './check-policies.ts'
export type { Policy } from './expression.ts'
export { type LoadedPolicies, loadPolicies } from './load-policies.ts'
export { checkAccess, checkAccessChange } from './standing-access.ts'
export { type PolicyTestResult, testPolicies } from './test-policies.ts'
export { accountKinds } from './view-object.ts'
export { findWeakerPolicies } from './weaker-policies.ts'
