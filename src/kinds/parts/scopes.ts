// The scopes that endpoints ask for, least first.
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'

const firstOf = (...anyOf: readonly string[]): ScopeNeed => ({ anyOf, ask: 'first' })

/** Access to the administrative endpoints of `area`: `Groups`, `Users`, `Connections`, … */
export function adminScopes(area: string): Kind['scopes'] {
  return {
    read: [firstOf(`Admin.${area}.Read`, `Admin.${area}.ReadWrite`, 'Admin.Read.All', 'Admin.ReadWrite.All')],
    write: [firstOf(`Admin.${area}.ReadWrite`, 'Admin.ReadWrite.All')],
  }
}

export const metadataScopes: Kind['scopes'] = {
  read: [firstOf('App.Metadata.Read', 'App.Metadata.ReadWrite')],
  write: [firstOf('App.Metadata.ReadWrite')],
}

/** Access to who has privileges on elements: the platform offers no scope that only reads them. */
export const elementAdminScopes: Kind['scopes'] = {
  read: [firstOf('App.Elements.Admin.All', 'User.Elements.Admin.All')],
  write: [firstOf('App.Elements.Admin.All', 'User.Elements.Admin.All')],
}

/** Access to constants of processes: the documents disagree about which scope it is, so the token carries each. */
export const processConstantScopes: Kind['scopes'] = {
  read: [...metadataScopes.read, { anyOf: ['App.Metadata.Read', 'Admin.ProcessConstants.Read'], ask: 'all' }],
  write: [{ anyOf: ['App.Metadata.ReadWrite', 'Admin.ProcessConstants.ReadWrite'], ask: 'all' }],
}
