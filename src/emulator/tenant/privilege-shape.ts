// Privileges in a tenant document.
import { filledText, oneOf, optional, record, type TypeOf } from '../shape/shape.ts'

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

export const applicationPrivilegeShape = record({ svcId: filledText, level: oneOf(...applicationLevels) })
export const processPrivilegeShape = record({
  svcId: filledText,
  level: oneOf(...processLevels),
  /** Code, name, id or guid of a business entity. */
  company: optional(filledText),
})
export const elementPrivilegeShape = record({ svcId: filledText, level: oneOf(...elementLevels) })
export type TenantPrivilege = TypeOf<typeof processPrivilegeShape>
export type TenantApplicationPrivilege = TypeOf<typeof applicationPrivilegeShape>
export type TenantElementPrivilege = TypeOf<typeof elementPrivilegeShape>
