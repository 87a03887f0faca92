// The shape of a tenant document: the state of an installation, in the form in which it is saved and shown.
import { behaviourChangesShape } from '../behaviour.ts'
import * as s from '../shape/shape.ts'
import { connectionNodes, connectionType } from './connection-types.ts'
import { applications, constantShape, identity } from './metadata-shape.ts'

export const memberTypes = [
  ...['Other', 'User', 'SvcGroup', 'SpGroup'],
  ...['AdGroup', 'SvcSecurityGroup', 'ApiApplication'],
] as const
export const licenseTypes = ['User', 'PowerUser', 'DesignerDeskUser', 'SingleSolutionUser', 'ExternalUser'] as const
export const designerDeskSettings = ['allowDesignerDeskProjectCreation', 'allowDesignerDeskProjectPublishing'] as const
export const environments = ['dev', 'test', 'prod'] as const

/** The optional texts of a user that the platform tells and takes. */
export const userTexts = ['name', 'email', 'phoneNumber', 'managerSvcId', 'jobTitle'] as const
export const groupTexts = ['name', 'email'] as const

const apiApplicationShape = s.record({
  name: s.filledText,
  clientId: s.filledText,
  clientSecret: s.filledText,
  scopes: s.optional(s.either(s.oneOf('all'), s.listOf(s.filledText))),
  svcId: s.optional(s.filledText),
  /** App: acts as itself. User: acts for a signed-in user, and gets no administrative scopes. */
  context: s.optional(s.oneOf('App', 'User')),
  /** The user that the application impersonates: administrative writes then answer 405. */
  impersonates: s.optional(s.filledText),
})
const accountFields = { svcId: s.filledText, ...s.each(groupTexts, s.optionalText) }
export const accountShape = s.record({ ...accountFields, type: s.optional(s.oneOf(...memberTypes)) })
export const userShape = s.record({ svcId: s.filledText, ...s.each(userTexts, s.optionalText) })
const people = s.optional(s.listOf(s.filledText))
export const groupShape = s.record({ ...accountFields, members: people, owners: people })

const place = s.record({
  ...s.each(['id', 'dbId'], s.optional(s.integer)),
  guid: s.optional(s.filledText),
  name: s.optional(s.text),
})
export const designerDeskShape = s.record(s.each(designerDeskSettings, s.optional(s.flag)))
const heldLicenseShape = s.record({
  // An installation may have more than the documents say.
  type: s.filledText,
  singleSolutionSettings: s.optional(s.record({ processes: s.listOf(place) })),
  designerDeskSettings: s.optional(designerDeskShape),
})
const licensesOfOne = s.listOf(s.either(s.filledText, heldLicenseShape))
export const licensesShape = s.record({
  installation: s.optional(s.oneOf('cloud', 'onPremises')),
  available: s.optional(s.mapOf(s.count)),
  assigned: s.optional(s.listOf(s.record({ svcId: s.filledText, name: s.optionalText, licenses: licensesOfOne }))),
})

export const substitutionType = s.oneOf('TaskDelegation', 'WorkingOnBehalf')
const places = s.optional(s.nullable(s.listOf(place)))
export const substitutionShape = s.record({
  id: s.optional(s.count),
  ...s.each(['startDate', 'endDate'], s.filledText),
  type: substitutionType,
  businessEntity: s.optional(s.nullable(place)),
  activeApplications: s.optional(
    s.record({ allApplications: s.optional(s.flag), applications: places, processes: places }),
  ),
  ...s.each(['originalPerson', 'substitutePerson'], s.record({ svcId: s.filledText })),
})

export const businessEntityTexts = ['taxId', 'phone', 'crc', 'description', 'logo'] as const
export const nameLines = ['firstLine', 'secondLine'] as const
export const addressLines = [...nameLines, 'thirdLine'] as const
const lines = s.optional(s.text)
export const businessEntityShape = s.record({
  id: identity.id,
  guid: identity.guid,
  ...s.each(['name', 'code'], s.filledText),
  ...s.each(businessEntityTexts, s.optional(s.text)),
  fullName: s.optional(s.record(s.each(nameLines, lines))),
  address: s.optional(s.record(s.each(addressLines, lines))),
  permissions: s.optional(
    s.listOf(s.record({ svcId: s.filledText, name: s.optionalText, type: s.oneOf('Default', 'Additional') })),
  ),
})

/** The fields inside an environment are checked by the connection's type, see connection-types. */
const node = s.record(s.each(['common', ...environments], s.optional(s.mapOf(s.anything))))
export const connectionShape = s.record({
  id: identity.id,
  guid: identity.guid,
  name: s.filledText,
  type: connectionType,
  ...s.each(Object.values(connectionNodes), s.optional(node)),
})

export const databaseShape = s.record({
  id: s.count,
  businessEntities: s.optional(s.listOf(businessEntityShape)),
  constantGroups: s.optional(s.listOf(s.record({ id: s.count, name: s.filledText }))),
  constants: s.optional(s.listOf(constantShape)),
  connections: s.optional(s.listOf(connectionShape)),
  applications,
})

export const tenantShape = s.record({
  apiApplications: s.optional(s.listOf(apiApplicationShape)),
  accounts: s.optional(s.listOf(accountShape)),
  users: s.optional(s.listOf(userShape)),
  groups: s.optional(s.listOf(groupShape)),
  licenses: s.optional(licensesShape),
  substitutions: s.optional(s.listOf(substitutionShape)),
  databases: s.optional(s.listOf(databaseShape)),
  behaviour: s.optional(behaviourChangesShape),
  /** The next number for each sort of id: written with saved state, so that ids are not given twice. */
  nextIds: s.optional(s.mapOf(s.count)),
})

export type Tenant = s.TypeOf<typeof tenantShape>
export type ApiApplication = s.TypeOf<typeof apiApplicationShape>
export type HeldLicense = s.TypeOf<typeof heldLicenseShape>
export type PlaceReference = s.TypeOf<typeof place>
