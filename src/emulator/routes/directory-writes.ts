// What writes to users and groups have in common: visibility, the lock while waiting, empty texts.
import type { Json } from '../../core/model/json.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Group, Subject, User } from '../state/subjects.ts'

export function readableUser({ state }: Call, svcId: string): User {
  const user = state.directory.user(svcId)
  if (user === undefined || !state.directory.isVisible(user)) throw notFound(`user "${svcId}"`)
  return user
}

export function readableGroup({ state }: Call, svcId: string): Group {
  const group = state.directory.group(svcId)
  if (group === undefined || !state.directory.isVisible(group)) throw notFound(`group "${svcId}"`)
  return group
}

/** The same object, unless the installation locks what waits for synchronisation. */
export function unlocked<T extends User | Group>({ state }: Call, subject: T): T {
  if (state.behaviour.writeWhileWaiting === 'locked' && state.directory.isWaiting(subject)) {
    throw new Refusal(409, 'ResourceIsLocked', `"${subject.svcId}" waits for synchronisation.`)
  }
  return subject
}

export function statusOf(state: PlatformState, subject: Subject): string {
  return state.directory.isWaiting(subject) ? 'WaitingForSynchronization' : 'Synchronized'
}

/** An optional text as this installation reads it back. */
export function shownText(state: PlatformState, text: string | null): string | null {
  const { emptyText } = state.behaviour
  if (emptyText === 'asNull' && text === '') return null
  return emptyText === 'asEmptyText' && text === null ? '' : text
}

/** Sorted out before paging: objects whose creation is still hidden. */
export function visible<T extends Subject>({ state }: Call, subjects: readonly T[]): readonly T[] {
  if (state.behaviour.afterCreate === 'visibleAtOnce') return subjects
  return subjects.filter((subject) => state.directory.isVisible(subject))
}

/** The read form of somebody in a list of members or owners. */
export function memberView(state: PlatformState, subject: Subject): Json {
  const { svcId, name, email, type } = subject
  return { svcId, name: shownText(state, name), email: shownText(state, email), type }
}
