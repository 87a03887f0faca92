// The endpoints of the interface, API 6.0, and the scopes that each takes. Source: reference, endpoints.

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/data/v{apiVersion}`; `{…}` is one segment. */
  readonly path: string
  readonly query: readonly string[]
  readonly does: string
  /** Any one of these is enough, least first. None: the reference names none. */
  readonly scopes: readonly string[]
}

const reading = (what: string) => [
  `Admin.${what}.Read`,
  `Admin.${what}.ReadWrite`,
  'Admin.Read.All',
  'Admin.ReadWrite.All',
]
const writing = (what: string) => [`Admin.${what}.ReadWrite`, 'Admin.ReadWrite.All']
const elementsWrite = [
  'App.Elements.ReadWrite.All',
  'App.Elements.Admin.All',
  'User.Elements.ReadWrite.<ProcGuid>',
  'User.Elements.ReadWrite.All',
  'User.Elements.Admin.<ProcGuid>',
  'User.Elements.Admin.All',
]

const scopeSets: Readonly<Record<string, readonly string[]>> = {
  groups: reading('Groups'),
  'groups+': writing('Groups'),
  users: reading('Users'),
  'users+': writing('Users'),
  licenses: reading('Licenses'),
  'licenses+': writing('Licenses'),
  substitutions: reading('Substitutions'),
  'substitutions+': writing('Substitutions'),
  connections: reading('Connections'),
  'connections+': writing('Connections'),
  constants: reading('Constants'),
  'constants+': writing('Constants'),
  entities: ['Admin.BusinessEntities.Read', 'Admin.Read.All', 'Admin.ReadWrite.All'],
  urls: ['Admin.Read.Urls', 'Admin.Read.All', 'Admin.ReadWrite.All'],
  import: ['Admin.Import', 'Admin.ReadWrite.All'],
  metadata: ['App.Metadata.Read', 'App.Metadata.ReadWrite'],
  'metadata+': ['App.Metadata.ReadWrite'],
  'process-constants': [
    'App.Metadata.Read',
    'App.Metadata.ReadWrite',
    'Admin.ProcessConstants.Read',
    'Admin.ProcessConstants.ReadWrite',
  ],
  'process-constants+': ['App.Metadata.ReadWrite', 'Admin.ProcessConstants.ReadWrite'],
  changes: ['App.ChangeRequests.Read.All'],
  reports: ['App.Reports.Read.All', 'User.Reports.Read.All', 'User.Reports.Read.<AppGuid>'],
  tasks: ['App.Tasks.Read.All', 'User.Tasks.Read.All'],
  'app-tasks': ['App.Tasks.Read.All', 'User.Tasks.Read.All', 'User.Tasks.Read.<AppGuid>'],
  search: ['App.Search.Read.All', 'User.Search.Read.All'],
  'app-search': ['App.Search.Read.All', 'User.Search.Read.All', 'User.Search.Read.<AppGuid>'],
  'elements+': elementsWrite,
  elements: ['App.Elements.Read.All', 'User.Elements.Read.<ProcGuid>', 'User.Elements.Read.All', ...elementsWrite],
  'elements!': ['App.Elements.Admin.All', 'User.Elements.Admin.All', 'User.Elements.Admin.<ProcGuid>'],
  trusted: ['HighTrust.Elements.Read.<ProcGuid>', 'HighTrust.Elements.ReadWrite.<ProcGuid>'],
  'trusted+': ['HighTrust.Elements.ReadWrite.<ProcGuid>'],
  none: [],
}

/** Scopes, method, path with its query parameters; what it does. */
const table = `
groups   GET    /admin/groups?size&page; list groups
groups+  POST   /admin/groups; create a group
groups   GET    /admin/groups/{svcId}; read a group
groups+  PATCH  /admin/groups/{svcId}; change name and email of a group
groups+  DELETE /admin/groups/{svcId}; delete a group
groups   GET    /admin/group?svcId!; read a group
groups+  PATCH  /admin/group?svcId!; change name and email of a group
groups+  DELETE /admin/group?svcId!; delete a group
groups+  POST   /admin/groups/{svcId}/members/add; add members to a group
groups+  POST   /admin/groups/{svcId}/members/remove; take members out of a group
groups+  POST   /admin/groups/{svcId}/owners/add; add owners to a group
groups+  POST   /admin/groups/{svcId}/owners/remove; take owners from a group
groups+  POST   /admin/group/members/add?svcId!; add members to a group
groups+  POST   /admin/group/members/remove?svcId!; take members out of a group
groups+  POST   /admin/group/owners/add?svcId!; add owners to a group
groups+  POST   /admin/group/owners/remove?svcId!; take owners from a group
users    GET    /admin/users?size&page; list external users
users+   POST   /admin/users; create an external user
users    GET    /admin/users/{svcId}; read an external user
users+   PATCH  /admin/users/{svcId}; change an external user
users+   DELETE /admin/users/{svcId}; delete an external user
users    GET    /admin/user?svcId!; read an external user
users+   PATCH  /admin/user?svcId!; change an external user
users+   DELETE /admin/user?svcId!; delete an external user
licenses GET    /admin/licenses; list the licences of all users
licenses GET    /admin/licenses/{svcId}; read the licences of a user
licenses GET    /admin/license?svcId!; read the licences of a user
licenses GET    /admin/licenses/summary; count licences, by type
licenses+ POST  /admin/licenses/assign; assign and remove licences
entities GET    /admin/db/{dbId}/businessentities; list business entities
entities GET    /admin/db/{dbId}/businessentities/{idguid}; read a business entity
substitutions  GET    /admin/substitutions?originalPerson&page&size; list substitutions
substitutions+ POST   /admin/substitutions; create a substitution
substitutions  GET    /admin/substitutions/{id}; read a substitution
substitutions+ PATCH  /admin/substitutions/{id}; change a substitution
substitutions+ DELETE /admin/substitutions/{id}; delete a substitution
connections  GET   /db/{dbId}/admin/connections; list data connections
connections+ POST  /db/{dbId}/admin/connections; create a data connection
connections  GET   /db/{dbId}/admin/connections/{idguid}; read a data connection
connections+ PATCH /db/{dbId}/admin/connections/{idguid}; change a data connection
constants    GET   /db/{dbId}/admin/constants; list global constants
constants+   POST  /db/{dbId}/admin/constants; create a global constant
constants    GET   /db/{dbId}/admin/constants/{idguid}; read a global constant
constants+   PATCH /db/{dbId}/admin/constants/{idguid}; change a global constant
process-constants  GET   /db/{dbId}/processes/{idguid}/admin/constants; list the constants of a process
process-constants+ POST  /db/{dbId}/processes/{idguid}/admin/constants; create a constant of a process
process-constants  GET   /db/{dbId}/processes/{procIdguid}/admin/constants/{idguid}; read a constant of a process
process-constants+ PATCH /db/{dbId}/processes/{procIdguid}/admin/constants/{idguid}; change a constant of a process
metadata  GET  /db/{dbId}/applications; list applications
metadata  GET  /db/{dbId}/applications/{idguid}; read an application
metadata  GET  /db/{dbId}/applications/{idguid}/dashboards; list the dashboards of an application
metadata  GET  /db/{dbId}/applications/{idguid}/processes; list the processes of an application
metadata  GET  /db/{dbId}/applications/{idguid}/reports; list the reports of an application
metadata  GET  /db/{dbId}/applications/{idguid}/admin/privileges; list who has privileges on an application
metadata+ POST /db/{dbId}/applications/{idguid}/admin/privileges/add; give a privilege on an application
metadata+ POST /db/{dbId}/applications/{idguid}/admin/privileges/remove; take a privilege on an application
metadata  GET  /db/{dbId}/processes/{idguid}; read a process
metadata  GET  /db/{dbId}/processes/{idguid}/formtypes; list the form types of a process
metadata  GET  /db/{dbId}/processes/{idguid}/workflows; list the workflows of a process
metadata  GET  /db/{dbId}/processes/{idguid}/admin/privileges; list who has privileges on a process
metadata+ POST /db/{dbId}/processes/{idguid}/admin/privileges/add; give a privilege on a process
metadata+ POST /db/{dbId}/processes/{idguid}/admin/privileges/remove; take a privilege on a process
metadata  GET  /db/{dbId}/workflows/{idguid}; read a workflow
metadata  GET  /db/{dbId}/workflows/{idguid}/steps; list the steps of a workflow
metadata  GET  /db/{dbId}/workflows/{idguid}/associatedFormTypes; list the form types of a workflow
metadata  GET  /db/{dbId}/workflows/{wfIdguid}/associatedFormTypes/{idguid}/admin/privileges; list who has privileges on a form type of a workflow
metadata+ POST /db/{dbId}/workflows/{wfIdguid}/associatedFormTypes/{idguid}/admin/privileges/add; give a privilege on a form type of a workflow
metadata+ POST /db/{dbId}/workflows/{wfIdguid}/associatedFormTypes/{idguid}/admin/privileges/remove; take a privilege on a form type of a workflow
metadata  GET  /db/{dbId}/steps/{idguid}; read a step
metadata  GET  /db/{dbId}/steps/{idguid}/paths; list the paths of a step
metadata  GET  /db/{dbId}/paths/{idguid}; read a path
none      GET  /db/{dbId}/formtypes/{idguid}; read a form type
metadata  GET  /db/{dbId}/formlayout?step!&formType!; read the layout of a form
none      GET  /db/{dbId}/reports/{idguid}; read a report
metadata  GET  /db/{dbId}/reports/{idguid}/views; list the views of a report
urls      GET  /urlMetadata?url!&lang; say what an address of the browser leads to
changes   GET  /db/{dbId}/applications/{appId}/changeRequests?page&size; list change requests
changes   GET  /db/{dbId}/applications/{appId}/changeRequests/{id}; read a change request
reports   GET  /db/{dbId}/applications/{appId}/reports/{reportId}?page&size; read the content of a report
reports   GET  /db/{dbId}/applications/{appId}/reports/{reportId}/views/{viewId}?page&size; read the content of a view
app-search GET /db/{dbId}/applications/{idguid}/search?search&filters&allWords&order&page&size; search in an application
search    GET  /search?search&filters&allWords&order&page&size; search everywhere
app-tasks GET  /db/{dbId}/applications/{appId}/tasks?size&page; list own tasks in an application
tasks     GET  /db/{dbId}/tasks?size&page; list own tasks in a database
tasks     GET  /tasks?size&page; list own tasks everywhere
elements+ POST   /db/{dbId}/elements?path!&mode; start an element
elements  GET    /db/{dbId}/elements/{id}?expand; read an element
elements+ PATCH  /db/{dbId}/elements/{id}?path&forceCheckout&mode; change an element, or move it along a path
elements+ DELETE /db/{dbId}/elements/{id}; delete an element
elements  GET    /db/{dbId}/elements/new?workflow!&formtype!&company&expand; read a template of a new element
elements  GET    /db/{dbId}/elements/{id}/new?expand; read a template by an element
elements  GET    /db/{dbId}/elements/{id}/children; list the children of an element
elements+ POST   /db/{dbId}/elements/{id}/checkout?forceCheckout; check out an element
elements+ POST   /db/{dbId}/elements/{id}/itemlists/{itemListId}/init?forceCheckout&mode; fill an item list
elements! GET    /db/{dbId}/elements/{id}/admin/privileges; list who has privileges on an element
elements! POST   /db/{dbId}/elements/{id}/admin/privileges; give a privilege on an element
elements! DELETE /db/{dbId}/elements/{id}/admin/privileges?svcId!; take a privilege on an element
elements! POST   /db/{dbId}/elements/{id}/admin/tasks/finishall; finish all tasks of an element
elements! POST   /db/{dbId}/elements/{id}/admin/tasks/assignment; hand on a task of somebody
elements+ POST   /db/{dbId}/elements/{id}/tasks/assignment; hand on an own task
elements+ POST   /db/{dbId}/elements/{id}/tasks/flag; flag an own task
elements+ POST   /db/{dbId}/elements/resolveColumnValue/{idguid}?workflow!&formType!&company; look up a column of a new element
elements+ POST   /db/{dbId}/elements/{id}/resolveColumnValue/{idguid}; look up a column of an element
elements+ POST   /db/{dbId}/elements/resolveFieldValue/{idguid}?workflow!&formType!&company; look up a field of a new element
elements+ POST   /db/{dbId}/elements/{id}/resolveFieldValue/{idguid}; look up a field of an element
elements+ POST   /db/{dbId}/elements/{id}/attachments?forceCheckout; add an attachment
elements  GET    /db/{dbId}/elements/{id}/attachments; list the attachments of an element
elements  GET    /db/{dbId}/elements/{id}/attachments/{attId}; read an attachment
elements  GET    /db/{dbId}/elements/attachments/{attId}; read an attachment
elements+ PATCH  /db/{dbId}/elements/{id}/attachments/{attId}?forceCheckout; change an attachment
elements+ DELETE /db/{dbId}/elements/{id}/attachments/{attId}?forceCheckout; delete an attachment
elements  GET    /db/{dbId}/elements/{id}/attachments/{attId}/content; read an attachment, as base64
elements  GET    /db/{dbId}/elements/{id}/attachments/{attId}/stream; read an attachment, as it is
trusted+  POST   /hightrust/db/{dbId}/elements?path!; start an element (high trust)
trusted   GET    /hightrust/db/{dbId}/elements/{id}; read an element (high trust)
trusted+  PATCH  /hightrust/db/{dbId}/elements/{id}?path&forceCheckout; change an element (high trust)
trusted+  DELETE /hightrust/db/{dbId}/elements/{id}; delete an element (high trust)
trusted   GET    /hightrust/db/{dbId}/elements/{id}/attachments; list attachments (high trust)
trusted   GET    /hightrust/db/{dbId}/elements/{id}/attachments/{attId}; read an attachment (high trust)
trusted   GET    /hightrust/db/{dbId}/elements/attachments/{attId}; read an attachment (high trust)
trusted+  POST   /hightrust/db/{dbId}/elements/{id}/attachments?forceCheckout; add an attachment (high trust)
trusted+  PATCH  /hightrust/db/{dbId}/elements/{id}/attachments/{attId}?forceCheckout; change an attachment (high trust)
trusted+  DELETE /hightrust/db/{dbId}/elements/{id}/attachments/{attId}?forceCheckout; delete an attachment (high trust)
import    POST   /db/{dbId}/importsessions; begin an import
import    POST   /db/{dbId}/importsessions/{sessionId}/{chunkNumber}; send a piece of a package
import    PATCH  /db/{dbId}/importsessions/{sessionId}; configure an import, and start it
import    GET    /db/{dbId}/importsessions/{sessionId}/status; say how far an import is
import    GET    /db/{dbId}/importsessions/{sessionId}/logs; read the log of an import
none      GET    /me; read who the token speaks for
`

/** In the order in which areas belong together. */
export const endpoints: readonly Endpoint[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [call = '', does = ''] = line.split('; ')
    const [set = '', method, address = ''] = call.split(/ +/)
    const [path = '', query] = address.split('?')
    return {
      method: method as Endpoint['method'],
      path,
      query: query?.split('&') ?? [],
      does,
      scopes: scopeSets[set] as readonly string[],
    }
  })

/** The endpoint that a request goes to. One whose segments are all written out comes before one with an id there. */
export function endpointOf(method: string, path: string): Endpoint | undefined {
  const segments = path.split('/')
  const fits = endpoints.filter((endpoint) => {
    const own = endpoint.path.split('/')
    return (
      endpoint.method === method &&
      own.length === segments.length &&
      own.every((part, index) => part.startsWith('{') || part === segments[index])
    )
  })
  return fits.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
}
