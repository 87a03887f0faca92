// Metadata objects as the API shows them.
import type { JsonObject } from '../../core/model/json.ts'
import type { Call } from '../http/route.ts'
import type { Application, Database, Named, Workflow } from '../state/database.ts'

export function namedView(call: Call, database: Database, segment: string, item: Named): JsonObject {
  const { id, guid, name, description } = item
  return { id, guid, name, description, links: call.link(`/db/${database.id}/${segment}/${id}`) }
}

/** The same in a list, which hardly tells more than which object it is. */
export function listedView(call: Call, view: JsonObject): JsonObject {
  const { description: _, groupId: __, groupName: ___, ...short } = view
  return call.state.behaviour.metadataListItems === 'short' ? short : view
}

export function applicationView(call: Call, database: Database, application: Application): JsonObject {
  const { groupId, groupName } = application
  return { ...namedView(call, database, 'applications', application), groupId, groupName }
}

export function stepView(call: Call, database: Database, step: Workflow['steps'][number]): JsonObject {
  return { ...namedView(call, database, 'steps', step), type: step.type }
}
