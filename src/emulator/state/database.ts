// One content database: its objects by id and guid.
import type { TenantBusinessEntity } from '../tenant/tenant-shape.ts'
import { Catalog } from './catalog.ts'
import type { Connection } from './connection.ts'
import type { Constant } from './constant.ts'
import type {
  Application,
  Dashboard,
  Element,
  FormField,
  FormType,
  ItemList,
  Process,
  Report,
  Step,
  View,
  Workflow,
  WorkflowPath,
} from './metadata.ts'

export interface BusinessEntity {
  readonly id: number
  readonly guid: string
  name: string
  readonly code: string
  readonly details: TenantBusinessEntity
}

export class Database {
  readonly id: number
  readonly businessEntities = new Catalog<BusinessEntity>()
  readonly constantGroups = new Map<number, string>()
  readonly constants = new Catalog<Constant>()
  readonly connections = new Catalog<Connection>()
  readonly applications = new Catalog<Application>()
  readonly dashboards = new Catalog<Dashboard>()
  readonly reports = new Catalog<Report>()
  readonly views = new Catalog<View>()
  readonly processes = new Catalog<Process>()
  readonly workflows = new Catalog<Workflow>()
  readonly steps = new Catalog<Step>()
  readonly paths = new Catalog<WorkflowPath>()
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
