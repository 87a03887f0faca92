// Constants, applications, processes, workflows, what they hold and who has privileges on them, in a tenant document.
import * as s from '../shape/shape.ts'

export const identity = {
  id: s.optional(s.count),
  guid: s.optional(s.filledText),
  name: s.filledText,
  description: s.optionalText,
}

/** Plain text for each environment, absent where it inherits. */
export const constantShape = s.record({
  ...identity,
  groupId: s.optional(s.nullable(s.count)),
  common: s.text,
  ...s.each(['dev', 'test', 'prod'], s.optional(s.text)),
})

export const applicationLevels = ['Administrator', 'PortalDesigner', 'MetadataAccess', 'ReadOnly'] as const
export const processLevels = [
  ...(['Administrator', 'Modify', 'ReadOnly', 'ReadOnlyWithoutAttachments'] as const),
  ...(['Start', 'ManageArchive', 'DesignerDeskEditInPortal'] as const),
] as const
export const elementLevels = [
  'ReadOnly',
  'ReadOnlyWithoutAttachments',
  'ModifyWithoutDeleting',
  'Administrator',
] as const

/** With companies: code, name, id or guid of a business entity. */
const privileges = <const L extends string>(levels: readonly L[]) =>
  s.listOf(s.record({ svcId: s.filledText, level: s.oneOf(...levels) }))
const privilegesOfCompanies = s.listOf(
  s.record({ svcId: s.filledText, level: s.oneOf(...processLevels), company: s.optional(s.filledText) }),
)

/** A list of what has an identity, and these fields besides. */
function items<const F extends Readonly<Record<string, s.Shape<unknown>>>>(fields: F) {
  return s.optional(s.listOf(s.record({ ...identity, ...fields })))
}

const typed = { type: s.optional(s.filledText) }
const workflows = items({
  /** Names of form types of the process, and by name who has privileges on it here. */
  formTypes: s.optional(s.listOf(s.filledText)),
  privileges: s.optional(s.mapOf(privilegesOfCompanies)),
  steps: items({ ...typed, paths: items({}) }),
})
const processFields = {
  /** The account that has checked out the process: constants cannot be written meanwhile. */
  checkedOutBy: s.optional(s.filledText),
  ...s.each(['checkoutEndsAfterMs', 'checkoutEndsAfterAttempts'], s.optional(s.count)),
  constants: s.optional(s.listOf(constantShape)),
  privileges: s.optional(privilegesOfCompanies),
  formTypes: items({ fields: items(typed), itemLists: items({ columns: items(typed) }) }),
  workflows,
  /** Instances of its workflows, as far as privileges on them go. */
  elements: s.optional(s.listOf(s.record({ id: s.count, privileges: s.optional(privileges(elementLevels)) }))),
}
const processes = items(processFields)
export type ProcessDocument = s.TypeOf<ReturnType<typeof s.record<typeof processFields>>>
/** Fields of a process that the state keeps elsewhere. */
export const keptByDatabase = ['checkedOutBy', 'checkoutEndsAfterMs', 'checkoutEndsAfterAttempts', 'elements'] as const
export const applications = items({
  groupId: s.optional(s.nullable(s.count)),
  groupName: s.optionalText,
  privileges: s.optional(privileges(applicationLevels)),
  dashboards: items({}),
  reports: items({ views: items({}) }),
  processes,
  /** Names or guids of processes that other applications lend it. */
  relatedProcesses: s.optional(s.listOf(s.filledText)),
})
