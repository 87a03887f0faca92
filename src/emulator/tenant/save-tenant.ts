// State -> tenant document, with every id and guid, so that loading it again gives the same installation.
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { Catalog } from '../state/catalog.ts'
import type { Database, Process } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { PrivilegeList } from '../state/privilege-list.ts'
import { type Subject, textsOf } from '../state/subjects.ts'
import { type Tenant, userTexts } from './tenant-shape.ts'

/** Leaves out objects that are being deleted: they are gone when the document is loaded. */
export function saveTenant(state: PlatformState): Tenant {
  const { directory, licenses } = state
  const stays = ({ sync }: Subject) => !sync.deleting
  const ids = (subjects: ReadonlySet<Subject>) => [...subjects].filter(stays).map(({ svcId }) => svcId)
  const users = directory.list('user').filter(stays)
  const groups = directory.list('group').filter(stays)
  return {
    apiApplications: [...state.apiApplications.values()],
    accounts: directory.list('account').map(({ svcId, name, email, type }) => ({ svcId, name, email, type })),
    users: users.map((user) => ({ svcId: user.svcId, ...textsOf(userTexts, user) })),
    groups: groups.map(({ svcId, name, email, members, owners }) => {
      return { svcId, name, email, members: ids(members), owners: ids(owners) }
    }),
    licenses: {
      installation: licenses.installation,
      available: licenses.available,
      assigned: licenses.holders().map((holder) => ({ ...holder, licenses: [...holder.licenses.values()] })),
    },
    substitutions: [...state.substitutions.values()],
    databases: [...state.databases.values()].map((database) => saveDatabase(database, state.now())),
    behaviour: state.behaviour,
    nextIds: state.ids.state(),
  }
}

function saveDatabase(database: Database, now: number): NonNullable<Tenant['databases']>[number] {
  const { id, businessEntities, constantGroups, constants, connections, applications, checkouts, elements } = database

  /** The fields that the database keeps beside its processes. */
  const besides = (process: Process) => {
    const { by, attemptsLeft, endsAt } = checkouts.get(process) ?? {}
    const checkout = {
      checkedOutBy: by,
      checkoutEndsAfterAttempts: attemptsLeft,
      checkoutEndsAfterMs: endsAt && Math.max(0, Math.ceil(endsAt - now)),
    }
    const own = [...elements.values()].filter((element) => element.process === process)
    return { ...checkout, elements: own.map((each) => ({ id: each.id, privileges: each.privileges.document() })) }
  }
  const saved = (value: unknown): unknown => {
    if (value instanceof PrivilegeList) return value.document()
    if (value instanceof Catalog) return value.list().map(saved)
    if (Array.isArray(value)) return value.map(saved)
    if (!isJsonObject(value)) return value
    const there = Object.entries(value).filter(([, each]) => each !== undefined)
    const fields = there.map(([key, each]) => [key, saved(each)])
    return { ...Object.fromEntries(fields), ...('workflows' in value && besides(value as unknown as Process)) }
  }
  const groups = [...constantGroups].map(([group, name]) => ({ id: group, name }))
  const objects = { businessEntities, constants, connections, applications }
  // State holds what the document's shape has let in, and the routes' bodies.
  return { id, constantGroups: groups, ...(saved(objects) as object) }
}
