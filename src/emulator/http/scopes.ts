// The scopes an application can have, and the sets of which an endpoint asks for one.

const areas = ['Groups', 'Users', 'Licenses', 'Substitutions', 'Connections', 'Constants', 'ProcessConstants'] as const
type AdminArea = (typeof areas)[number]

export function readScopes(area: AdminArea): readonly string[] {
  return ['Admin.Read.All', 'Admin.ReadWrite.All', `Admin.${area}.Read`, `Admin.${area}.ReadWrite`]
}

export function writeScopes(area: AdminArea): readonly string[] {
  return ['Admin.ReadWrite.All', `Admin.${area}.ReadWrite`]
}

export const businessEntityScopes = ['Admin.ReadWrite.All', 'Admin.Read.All', 'Admin.BusinessEntities.Read']
export const urlScopes = ['Admin.Read.All', 'Admin.ReadWrite.All', 'Admin.Read.Urls']
export const metadataReadScopes = ['App.Metadata.Read', 'App.Metadata.ReadWrite']
export const metadataWriteScopes = ['App.Metadata.ReadWrite']
export const elementAdminScopes = ['App.Elements.Admin.All', 'User.Elements.Admin.All']

/** The meaning of "all scopes" for an application that acts as itself. */
export const appContextScopes: readonly string[] = [
  ...['Admin.ReadWrite.All', 'Admin.Read.All', 'Admin.BusinessEntities.Read'],
  ...areas.flatMap((area) => [`Admin.${area}.Read`, `Admin.${area}.ReadWrite`]),
  ...['Admin.Read.Urls', 'Admin.Import', ...metadataReadScopes, 'App.Reports.Read.All', 'App.Tasks.Read.All'],
  ...['App.Elements.Read.All', 'App.Elements.ReadWrite.All', 'App.Elements.Admin.All', 'App.ChangeRequests.Read.All'],
  ...['App.Search.Read.All', 'User.Data'],
]

/** The meaning of "all scopes" for an application that acts for a signed-in user. */
export const userContextScopes: readonly string[] = [
  ...['User.Reports.Read.All', 'User.Tasks.Read.All', 'User.Elements.Read.All', 'User.Elements.ReadWrite.All'],
  ...['User.Elements.Admin.All', 'User.Search.Read.All', 'User.Data'],
]

/** No other scope can be requested together with these. */
export const openIdScopes: readonly string[] = ['openid', 'email', 'profile']
