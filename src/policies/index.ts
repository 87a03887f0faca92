// Rules of the users' own: reads them, and asks them about objects and changes.
export { checkDesired, checkExceptions, judgeChanges, type PolicyContext } from './check-policies.ts'
export type { Policy } from './expression.ts'
export { type LoadedPolicies, loadPolicies } from './load-policies.ts'
export { checkAccess, judgeAccess } from './standing-access.ts'
export { type TestedPolicies, testPolicies } from './test-policies.ts'
export { accountKinds } from './view-object.ts'
export { findWeakerPolicies } from './weaker-policies.ts'
