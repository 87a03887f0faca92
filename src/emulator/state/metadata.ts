// What a content database holds, as objects that point at each other.
import type { Catalog, Catalogued } from './catalog.ts'
import type { Constant } from './constant.ts'
import type { PrivilegeList } from './privilege-list.ts'

export interface Named extends Catalogued {
  readonly description: string | null
}
export type Dashboard = Named
export type View = Named
export type WorkflowPath = Named
export interface FormField extends Named {
  readonly type: string
}
export interface ItemList extends Named {
  readonly columns: readonly FormField[]
}
export interface Report extends Named {
  readonly views: readonly View[]
}
export interface Step extends Named {
  readonly type: string
  readonly paths: readonly WorkflowPath[]
}
export interface FormType extends Named {
  readonly fields: readonly FormField[]
  readonly itemLists: readonly ItemList[]
}
export interface Workflow extends Named {
  readonly process: Process
  readonly steps: readonly Step[]
  /** The form types that go with this workflow, each with its privileges. */
  readonly formTypes: ReadonlyMap<FormType, PrivilegeList>
}
interface Checkout {
  readonly by: string
  /** Clock time at which it ends by itself. */
  readonly endsAt: number | undefined
  /** Refused writes after which it ends by itself. */
  attemptsLeft: number | undefined
}
export interface Process extends Named {
  readonly application: Application
  readonly constants: Catalog<Constant>
  readonly privileges: PrivilegeList
  readonly formTypes: FormType[]
  readonly workflows: Workflow[]
  checkout: Checkout | undefined
}
/** An instance of a workflow. */
export interface Element {
  readonly id: number
  readonly process: Process
  /** Those of its own; those on the process hold beside them. */
  readonly privileges: PrivilegeList
}
export interface Application extends Named {
  readonly groupId: number | null
  readonly groupName: string | null
  readonly privileges: PrivilegeList
  readonly dashboards: Dashboard[]
  readonly reports: Report[]
  readonly processes: Process[]
  /** Of other applications, lent to this one. */
  readonly related: Process[]
}
