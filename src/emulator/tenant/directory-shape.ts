// Users, groups, directory accounts and API applications in a tenant document.
import { either, filledText, listOf, oneOf, optional, optionalText, record } from '../shape/shape.ts'

export const memberTypes = [
  'Other',
  'User',
  'SvcGroup',
  'SpGroup',
  'AdGroup',
  'SvcSecurityGroup',
  'ApiApplication',
] as const

export const apiApplicationShape = record({
  name: filledText,
  clientId: filledText,
  clientSecret: filledText,
  scopes: optional(either(oneOf('all'), listOf(filledText))),
  svcId: optional(filledText),
  /** App: acts as itself. User: acts for a signed-in user, and gets no administrative scopes. */
  context: optional(oneOf('App', 'User')),
  /** The user that the application impersonates: administrative writes then answer 405. */
  impersonates: optional(filledText),
})
export const accountShape = record({
  svcId: filledText,
  name: optionalText,
  email: optionalText,
  type: optional(oneOf(...memberTypes)),
})
export const userShape = record({
  svcId: filledText,
  name: optionalText,
  email: optionalText,
  phoneNumber: optionalText,
  managerSvcId: optionalText,
  jobTitle: optionalText,
})
export const groupShape = record({
  svcId: filledText,
  name: optionalText,
  email: optionalText,
  members: optional(listOf(filledText)),
  owners: optional(listOf(filledText)),
})
