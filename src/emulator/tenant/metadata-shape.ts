// Applications, processes, workflows and what they hold, in a tenant document.
import { count, filledText, listOf, mapOf, nullable, optional, record, type TypeOf, text } from '../shape/shape.ts'
import { constantShape } from './constant-shape.ts'
import { applicationPrivilegeShape, elementPrivilegeShape, processPrivilegeShape } from './privilege-shape.ts'

const identity = {
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  description: optional(nullable(text)),
}
const named = record(identity)
const pathShape = named
const stepShape = record({ ...identity, type: optional(filledText), paths: optional(listOf(pathShape)) })
const fieldShape = record({ ...identity, type: optional(filledText) })
const formTypeShape = record({
  ...identity,
  fields: optional(listOf(fieldShape)),
  itemLists: optional(listOf(record({ ...identity, columns: optional(listOf(fieldShape)) }))),
})
const reportShape = record({ ...identity, views: optional(listOf(named)) })

const workflowShape = record({
  ...identity,
  /** Names of form types of the process. */
  formTypes: optional(listOf(filledText)),
  /** By name of the form type. */
  privileges: optional(mapOf(listOf(processPrivilegeShape))),
  steps: optional(listOf(stepShape)),
})
const processShape = record({
  ...identity,
  /** Whoever has the process checked out: constants cannot be written meanwhile. */
  checkedOutBy: optional(filledText),
  checkoutEndsAfterMs: optional(count),
  checkoutEndsAfterAttempts: optional(count),
  constants: optional(listOf(constantShape)),
  privileges: optional(listOf(processPrivilegeShape)),
  formTypes: optional(listOf(formTypeShape)),
  workflows: optional(listOf(workflowShape)),
  /** Instances of its workflows, as far as privileges on them go. */
  elements: optional(listOf(record({ id: count, privileges: optional(listOf(elementPrivilegeShape)) }))),
})
export const applicationShape = record({
  ...identity,
  groupId: optional(nullable(count)),
  groupName: optional(nullable(text)),
  privileges: optional(listOf(applicationPrivilegeShape)),
  dashboards: optional(listOf(named)),
  reports: optional(listOf(reportShape)),
  processes: optional(listOf(processShape)),
  /** Names or guids of processes that other applications lend it. */
  relatedProcesses: optional(listOf(filledText)),
})

export type TenantNamed = TypeOf<typeof named>
export type TenantStep = TypeOf<typeof stepShape>
export type TenantFormType = TypeOf<typeof formTypeShape>
export type TenantReport = TypeOf<typeof reportShape>
export type TenantWorkflow = TypeOf<typeof workflowShape>
export type TenantProcess = TypeOf<typeof processShape>
export type TenantApplication = TypeOf<typeof applicationShape>
