// The scopes that administrative endpoints ask for, least first.
import type { Kind } from '../../core/kind.ts'

/** Access to the administrative endpoints of `area`: `Groups`, `Users`, `Connections`, … */
export function adminScopes(area: string): Kind['scopes'] {
  return {
    read: [[`Admin.${area}.Read`, `Admin.${area}.ReadWrite`, 'Admin.Read.All', 'Admin.ReadWrite.All']],
    write: [[`Admin.${area}.ReadWrite`, 'Admin.ReadWrite.All']],
  }
}

/** Access to metadata: applications, processes and what hangs on them. */
export const metadataScopes: Kind['scopes'] = {
  read: [['App.Metadata.Read', 'App.Metadata.ReadWrite']],
  write: [['App.Metadata.ReadWrite']],
}
