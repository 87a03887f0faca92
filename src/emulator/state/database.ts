// One content database: its objects as a tenant document has them, each with an id and a guid, and found by either.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { TypeOf } from '../shape/shape.ts'
import type { connectionNodes } from '../tenant/connection-types.ts'
import type { constantShape, keptByDatabase } from '../tenant/metadata-shape.ts'
import type { businessEntityShape, databaseShape, environments } from '../tenant/tenant-shape.ts'
import { Catalog, type CatalogItem } from './catalog.ts'
import type { PrivilegeList } from './privilege-list.ts'

export interface Item extends CatalogItem {
  readonly description: string | null
}
type Company = CatalogItem & TypeOf<typeof businessEntityShape>
type Environment = (typeof environments)[number]

/** Global or of a process: one value in common, and one for each environment that does not inherit it. */
export type Constant = Item & { readonly groupId: number | null; readonly common: string } & {
  readonly [E in Environment]?: string | undefined
}

/** In common, and of each environment that does not inherit. Credentials in them are kept as digests only. */
type Settings = { readonly common: JsonObject } & { readonly [E in Environment]?: JsonObject | undefined }
/** Its settings stand under the node of its type. */
export type Connection = CatalogItem & { readonly type: keyof typeof connectionNodes } & {
  readonly [N in (typeof connectionNodes)[keyof typeof connectionNodes]]?: Settings
}

type GivenPrivilege = { readonly svcId: string; readonly level: string }
/** A document once it is loaded: complete, with identities, and with lists of privileges and catalogs of constants. */
type Loaded<T> = T extends readonly GivenPrivilege[]
  ? PrivilegeList
  : T extends readonly TypeOf<typeof constantShape>[]
    ? Catalog<Constant>
    : T extends readonly (infer E)[]
      ? Loaded<E>[]
      : T extends { readonly name: string }
        ? Item & {
            [K in Exclude<keyof T, keyof Item | (typeof keptByDatabase)[number]>]-?: Loaded<Exclude<T[K], undefined>>
          }
        : T extends object
          ? { -readonly [K in keyof T]-?: Loaded<Exclude<T[K], undefined>> }
          : T

type Application = Loaded<NonNullable<TypeOf<typeof databaseShape>['applications']>>[number]
export type Process = Application['processes'][number]
type Workflow = Process['workflows'][number]
type FormType = Process['formTypes'][number]
type FormField = FormType['fields'][number]
type Step = Workflow['steps'][number]

interface Checkout {
  readonly by: string
  /** Clock time at which it ends by itself. */
  readonly endsAt: number | undefined
  /** Refused writes after which it ends by itself. */
  attemptsLeft: number | undefined
}

export function newCheckout(
  { now }: { readonly now: () => number },
  by: string,
  endsAfterMs: number | undefined,
  attemptsLeft: number | undefined,
): Checkout {
  return { by, endsAt: endsAfterMs === undefined ? undefined : now() + endsAfterMs, attemptsLeft }
}

/** An instance of a workflow. */
interface Element {
  readonly id: number
  readonly process: Process
  /** Its own privileges; those on the process apply as well. */
  readonly privileges: PrivilegeList
}

export class Database {
  readonly id: number
  readonly constantGroups = new Map<number, string>()
  readonly businessEntities = new Catalog<Company>()
  readonly constants = new Catalog<Constant>()
  readonly connections = new Catalog<Connection>()
  readonly applications = new Catalog<Application>()
  readonly dashboards = new Catalog<Item>()
  readonly reports = new Catalog<Application['reports'][number]>()
  readonly views = new Catalog<Item>()
  readonly processes = new Catalog<Process>()
  readonly workflows = new Catalog<Workflow>()
  readonly steps = new Catalog<Step>()
  readonly paths = new Catalog<Item>()
  readonly formTypes = new Catalog<FormType>()
  readonly fields = new Catalog<FormField>()
  readonly itemLists = new Catalog<FormType['itemLists'][number]>()
  readonly columns = new Catalog<FormField>()
  readonly elements = new Map<number, Element>()
  readonly checkouts = new Map<Process, Checkout>()
  readonly owners = new Map<Workflow, Process>()

  constructor(id: number) {
    this.id = id
  }

  /** By code, name, id or guid. */
  company(reference: string): Company | undefined {
    const { businessEntities } = this
    const isIt = ({ code, name }: Company) => code === reference || name === reference
    return businessEntities.find(reference) ?? businessEntities.list().find(isIt)
  }

  formTypesOf(workflow: Workflow): FormType[] {
    return (this.owners.get(workflow)?.formTypes ?? []).filter(({ name }) => workflow.formTypes.includes(name))
  }
}
