// A group that nobody is in yet.
import { type Group, subjectBase } from './subjects.ts'

interface GroupFields {
  readonly svcId: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
}

export function newGroup({ svcId, name, email }: GroupFields): Group {
  return { ...subjectBase(svcId, name, email), kind: 'group', type: 'SvcGroup', members: new Set(), owners: new Set() }
}
