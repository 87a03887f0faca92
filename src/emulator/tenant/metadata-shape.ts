// Constants, applications, processes, workflows, what they hold and who has privileges on them, in a tenant document.
import { count, filledText, listOf, mapOf, nullable, oneOf, optional, record, text } from '../shape/shape.ts'

/** Plain text for each environment, absent where it inherits. */
export const constantShape = record({
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  description: optional(nullable(text)),
  groupId: optional(nullable(count)),
  common: text,
  dev: optional(text),
  test: optional(text),
  prod: optional(text),
})

export const applicationLevels = ['Administrator', 'PortalDesigner', 'MetadataAccess', 'ReadOnly'] as const
export const processLevels = [
  'Administrator',
  'Modify',
  'ReadOnly',
  'ReadOnlyWithoutAttachments',
  'Start',
  'ManageArchive',
  'DesignerDeskEditInPortal',
] as const
export const elementLevels = [
  'ReadOnly',
  'ReadOnlyWithoutAttachments',
  'ModifyWithoutDeleting',
  'Administrator',
] as const

const applicationPrivilegeShape = record({ svcId: filledText, level: oneOf(...applicationLevels) })
const processPrivilegeShape = record({
  svcId: filledText,
  level: oneOf(...processLevels),
  /** Code, name, id or guid of a business entity. */
  company: optional(filledText),
})
const elementPrivilegeShape = record({ svcId: filledText, level: oneOf(...elementLevels) })

const identity = {
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  description: optional(nullable(text)),
}
const named = record(identity)
const stepShape = record({ ...identity, type: optional(filledText), paths: optional(listOf(named)) })
const fieldShape = record({ ...identity, type: optional(filledText) })
const formTypeShape = record({
  ...identity,
  fields: optional(listOf(fieldShape)),
  itemLists: optional(listOf(record({ ...identity, columns: optional(listOf(fieldShape)) }))),
})
const reportShape = record({ ...identity, views: optional(listOf(named)) })

export const workflowShape = record({
  ...identity,
  /** Names of form types of the process. */
  formTypes: optional(listOf(filledText)),
  /** By name of the form type. */
  privileges: optional(mapOf(listOf(processPrivilegeShape))),
  steps: optional(listOf(stepShape)),
})
export const processShape = record({
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
