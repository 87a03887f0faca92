// What a tenant document may say: the starting state of an installation, and the form in which state is saved and shown.
import { behaviourChangesShape } from '../behaviour.ts'
import {
  anything,
  count,
  either,
  filledText,
  flag,
  integer,
  listOf,
  mapOf,
  nullable,
  oneOf,
  optional,
  optionalText,
  record,
  type TypeOf,
  text,
} from '../shape/shape.ts'
import { connectionType, environmentFields, nodeFields } from '../state/connection-types.ts'
import { accountShape, apiApplicationShape, groupShape, userShape } from './directory-shape.ts'
import { applicationShape, constantShape } from './metadata-shape.ts'

export const licenseTypes = ['User', 'PowerUser', 'DesignerDeskUser', 'SingleSolutionUser', 'ExternalUser'] as const

const place = record({
  id: optional(integer),
  guid: optional(filledText),
  dbId: optional(integer),
  name: optional(text),
})
export const designerDeskShape = record({
  allowDesignerDeskProjectCreation: optional(flag),
  allowDesignerDeskProjectPublishing: optional(flag),
})
const heldLicenseShape = record({
  // An installation may have more than the documents say.
  type: filledText,
  singleSolutionSettings: optional(record({ processes: listOf(place) })),
  designerDeskSettings: optional(designerDeskShape),
})
export const licensesShape = record({
  installation: optional(oneOf('cloud', 'onPremises')),
  available: optional(mapOf(count)),
  assigned: optional(
    listOf(
      record({
        svcId: filledText,
        name: optionalText,
        licenses: listOf(either(filledText, heldLicenseShape)),
      }),
    ),
  ),
})

export const substitutionShape = record({
  id: optional(count),
  startDate: filledText,
  endDate: filledText,
  type: oneOf('TaskDelegation', 'WorkingOnBehalf'),
  businessEntity: optional(nullable(place)),
  activeApplications: optional(
    record({
      allApplications: optional(flag),
      applications: optional(nullable(listOf(place))),
      processes: optional(nullable(listOf(place))),
    }),
  ),
  originalPerson: record({ svcId: filledText }),
  substitutePerson: record({ svcId: filledText }),
})

export const businessEntityShape = record({
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  code: filledText,
  taxId: optional(text),
  phone: optional(text),
  crc: optional(text),
  description: optional(text),
  fullName: optional(record({ firstLine: optional(text), secondLine: optional(text) })),
  address: optional(record({ firstLine: optional(text), secondLine: optional(text), thirdLine: optional(text) })),
  logo: optional(text),
  permissions: optional(
    listOf(record({ svcId: filledText, name: optionalText, type: oneOf('Default', 'Additional') })),
  ),
})

/** The fields inside an environment are checked by the connection's type, see state/connection-types. */
export const connectionShape = record({
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  type: connectionType,
  ...nodeFields(() => record(environmentFields(mapOf(anything)))),
})

export const databaseShape = record({
  id: count,
  businessEntities: optional(listOf(businessEntityShape)),
  constantGroups: optional(listOf(record({ id: count, name: filledText }))),
  constants: optional(listOf(constantShape)),
  connections: optional(listOf(connectionShape)),
  applications: optional(listOf(applicationShape)),
})

export const tenantShape = record({
  apiApplications: optional(listOf(apiApplicationShape)),
  accounts: optional(listOf(accountShape)),
  users: optional(listOf(userShape)),
  groups: optional(listOf(groupShape)),
  licenses: optional(licensesShape),
  substitutions: optional(listOf(substitutionShape)),
  databases: optional(listOf(databaseShape)),
  behaviour: optional(behaviourChangesShape),
  /** The next number for each sort of id: written with saved state, so that ids are not given twice. */
  nextIds: optional(mapOf(count)),
})

export type Tenant = TypeOf<typeof tenantShape>
export type HeldLicense = TypeOf<typeof heldLicenseShape>
export type PlaceReference = TypeOf<typeof place>
