// One content database: what it holds, as objects that point at each other, and finds by id and guid.
import type { JsonObject } from '../../core/model/json.ts'
import type { TypeOf } from '../shape/shape.ts'
import type { businessEntityShape } from '../tenant/tenant-shape.ts'
import { Catalog, type Catalogued } from './catalog.ts'
import type { ConnectionType } from './connection-types.ts'
import type { PrivilegeList } from './privilege-list.ts'

export const environments = ['dev', 'test', 'prod'] as const
type Environment = (typeof environments)[number]

/** Global or of a process: one value in common, and one for each environment that does not inherit it. */
export interface Constant {
  readonly id: number
  readonly guid: string
  name: string
  description: string | null
  groupId: number | null
  common: string
  dev?: string | undefined
  test?: string | undefined
  prod?: string | undefined
}

/** Settings in common, and of each environment that does not inherit them. Credentials in them are kept as digests only. */
export interface Connection {
  readonly id: number
  readonly guid: string
  name: string
  readonly type: ConnectionType
  readonly settings: { common: JsonObject } & { [E in Environment]?: JsonObject | undefined }
}

export interface Named extends Catalogued {
  readonly description: string | null
}
export interface FormField extends Named {
  readonly type: string
}
interface ItemList extends Named {
  readonly columns: readonly FormField[]
}
interface Report extends Named {
  readonly views: readonly Named[]
}
interface Step extends Named {
  readonly type: string
  readonly paths: readonly Named[]
}
interface FormType extends Named {
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
  readonly dashboards: Named[]
  readonly reports: Report[]
  readonly processes: Process[]
  /** Of other applications, lent to this one. */
  readonly related: Process[]
}

interface BusinessEntity {
  readonly id: number
  readonly guid: string
  name: string
  readonly code: string
  readonly details: TypeOf<typeof businessEntityShape>
}

export class Database {
  readonly id: number
  readonly businessEntities = new Catalog<BusinessEntity>()
  readonly constantGroups = new Map<number, string>()
  readonly constants = new Catalog<Constant>()
  readonly connections = new Catalog<Connection>()
  readonly applications = new Catalog<Application>()
  readonly dashboards = new Catalog<Named>()
  readonly reports = new Catalog<Report>()
  readonly views = new Catalog<Named>()
  readonly processes = new Catalog<Process>()
  readonly workflows = new Catalog<Workflow>()
  readonly steps = new Catalog<Step>()
  readonly paths = new Catalog<Named>()
  readonly formTypes = new Catalog<FormType>()
  readonly fields = new Catalog<FormField>()
  readonly itemLists = new Catalog<ItemList>()
  readonly columns = new Catalog<FormField>()
  readonly elements = new Map<number, Element>()

  constructor(id: number) {
    this.id = id
  }

  /** By code, name, id or guid. */
  company(reference: string): BusinessEntity | undefined {
    return (
      this.businessEntities.find(reference) ??
      this.businessEntities.list().find((each) => each.code === reference || each.name === reference)
    )
  }
}
