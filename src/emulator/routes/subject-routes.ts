// Users and groups: the endpoints that both have. Visibility, the lock while waiting, empty texts.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { act, type Call, done, get, inBothForms, type Route, svcIdOf, write } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { listOf, oneOf, record, type Shape } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Group, User } from '../state/subjects.ts'
import { keepExtraFields } from '../state/undocumented.ts'

export const syncStatus = oneOf('Synchronized', 'WaitingForSynchronization')

/** An optional text as this installation reads it back. */
export function shownText({ behaviour: { emptyText } }: PlatformState, text: string | null): string | null {
  if (emptyText === 'asNull' && text === '') return null
  return emptyText === 'asEmptyText' && text === null ? '' : text
}

/** The common view of both kinds: a svcId, these texts, and whether it waits for synchronisation. */
export function subjectView<T extends string>(
  { state }: Call,
  subject: Pick<User | Group, 'svcId' | 'sync'> & { readonly [K in T]: string | null },
  texts: readonly T[],
): JsonObject {
  const isWaiting = state.directory.isWaiting(subject)
  return {
    svcId: subject.svcId,
    ...Object.fromEntries(texts.map((text) => [text, shownText(state, subject[text])])),
    status: isWaiting ? 'WaitingForSynchronization' : 'Synchronized',
  }
}

type SubjectByKind = { readonly user: User; readonly group: Group }

/** The user or group that the request is about. */
function readSubject<K extends keyof SubjectByKind>(call: Call, kind: K): SubjectByKind[K] {
  const { directory } = call.state
  const subject: User | Group | undefined = directory.get(kind, svcIdOf(call))
  if (subject === undefined || !directory.isVisible(subject)) throw notFound(`${kind} "${svcIdOf(call)}"`)
  return subject as SubjectByKind[K]
}

/** The same for a write, unless the installation locks what waits for synchronisation. */
export function writableSubject<K extends keyof SubjectByKind>(call: Call, kind: K): SubjectByKind[K] {
  const subject = readSubject(call, kind)
  const isLocked = call.state.behaviour.writeWhileWaiting === 'locked' && call.state.directory.isWaiting(subject)
  if (isLocked) throw new Refusal('ResourceIsLocked', `"${subject.svcId}" waits for synchronisation.`)
  return subject
}

interface SubjectForms<K extends keyof SubjectByKind, C, U> {
  readonly kind: K
  readonly area: 'Users' | 'Groups'
  /** The fields in lists, and the fields in a read. */
  readonly listed: Shape<unknown>
  readonly answer: Shape<unknown>
  readonly view: (call: Call, subject: SubjectByKind[K], isListed: boolean) => JsonObject
  readonly createBody: Shape<C>
  /** In the directory when it returns. */
  readonly create: (call: Call, body: C) => SubjectByKind[K]
  readonly updateBody: Shape<U>
  readonly update: (call: Call, subject: SubjectByKind[K], body: U) => void
}

/** List, create, and by either form of the path read, update and delete. */
export function subjectRoutes<K extends keyof SubjectByKind, C, U>(of: SubjectForms<K, C, U>): readonly Route[] {
  const { kind, area, answer, listed } = of
  const [reading, writing] = [readScopes(area), writeScopes(area)]
  const path = `/admin/${kind}s`
  const forms = (make: (path: string) => Route) => inBothForms(`/admin/${kind}`, '', make)
  const written = (call: Call, subject: SubjectByKind[K], isNew = false): ReturnType<Route['handle']> => {
    call.state.directory.startSync(keepExtraFields(call, subject), call.state.syncDelayMs, isNew)
    return done
  }
  const list = (call: Call): Json => {
    const { directory, behaviour } = call.state
    const all = directory.list(kind) as readonly SubjectByKind[K][]
    // Sorted out before paging: objects whose creation is still hidden.
    const visible = behaviour.afterCreate === 'visibleAtOnce' ? all : all.filter((each) => directory.isVisible(each))
    return { [`${kind}s`]: pageOf(visible, call, 0).map((each) => of.view(call, each, true)) }
  }
  return [
    get(path, reading, { query: paging, answer: record({ [`${kind}s`]: listOf(listed) }) }, list),
    write('POST', path, writing, { open: true, body: of.createBody }, (call, body) =>
      written(call, of.create(call, body), true),
    ),
    ...forms((at) => get(at, reading, { answer }, (call) => of.view(call, readSubject(call, kind), false))),
    ...forms((at) =>
      write('PATCH', at, writing, { open: true, body: of.updateBody }, (call, body) => {
        const subject = writableSubject(call, kind)
        of.update(call, subject, body)
        return written(call, subject)
      }),
    ),
    // DELETE ignores its body, as on the platform: a client that means an update loses the group.
    ...forms((at) =>
      act('DELETE', at, writing, {}, (call) => {
        call.state.directory.delete(writableSubject(call, kind), call.state.syncDelayMs)
        return done
      }),
    ),
  ]
}
