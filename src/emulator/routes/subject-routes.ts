// Users and groups: the endpoints that both have, and what others need of them. Visibility, the lock while waiting, empty texts.
import type { JsonObject } from '../../core/model/json.ts'
import { pageOf, paging } from '../http/paging.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { bothForms, type Call, done, type Result, type Route, svcIdOf, withBody } from '../http/route.ts'
import { readScopes, writeScopes } from '../http/scopes.ts'
import { listOf, oneOf, record, type Shape } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Group, Subject, User } from '../state/subjects.ts'
import { keepMore } from '../state/undocumented.ts'

export const syncStatus = oneOf('Synchronized', 'WaitingForSynchronization')

export function statusOf(state: PlatformState, subject: Subject): string {
  return state.directory.isWaiting(subject) ? 'WaitingForSynchronization' : 'Synchronized'
}

/** An optional text as this installation reads it back. */
export function shownText(state: PlatformState, text: string | null): string | null {
  const { emptyText } = state.behaviour
  if (emptyText === 'asNull' && text === '') return null
  return emptyText === 'asEmptyText' && text === null ? '' : text
}

type Either = { readonly user: User; readonly group: Group }

/** The user or group that the request is about. */
export function readable<K extends keyof Either>(call: Call, kind: K): Either[K] {
  const { directory } = call.state
  const subject: User | Group | undefined = directory.get(kind, svcIdOf(call))
  if (subject === undefined || !directory.isVisible(subject)) throw notFound(`${kind} "${svcIdOf(call)}"`)
  return subject as Either[K]
}

/** The same for a write, unless the installation locks what waits for synchronisation. */
export function unlocked<K extends keyof Either>(call: Call, kind: K): Either[K] {
  const subject = readable(call, kind)
  if (call.state.behaviour.writeWhileWaiting === 'locked' && call.state.directory.isWaiting(subject)) {
    throw new Refusal(409, 'ResourceIsLocked', `"${subject.svcId}" waits for synchronisation.`)
  }
  return subject
}

interface SubjectForms<K extends keyof Either, C, U> {
  readonly kind: K
  readonly area: 'Users' | 'Groups'
  /** As lists show it, and as a read does. */
  readonly item: { readonly answer: Shape<unknown>; readonly view: (call: Call, subject: Either[K]) => JsonObject }
  readonly whole: { readonly answer: Shape<unknown>; readonly view: (call: Call, subject: Either[K]) => JsonObject }
  readonly createBody: Shape<C>
  /** In the directory when it returns. */
  readonly create: (call: Call, body: C) => Either[K]
  readonly updateBody: Shape<U>
  readonly update: (call: Call, subject: Either[K], body: U) => void
}

/** List, create, and by either form of the path read, update and delete. */
export function subjectRoutes<K extends keyof Either, C, U>(of: SubjectForms<K, C, U>): readonly Route[] {
  const { kind, area, item, whole } = of
  const [read, write] = [readScopes(area), writeScopes(area)]
  const path = `/admin/${kind}s`
  const forms = (make: (path: string) => Route) => bothForms(`/admin/${kind}`, path, '', make)
  const written = (call: Call, subject: Either[K], isNew = false): Result => {
    call.state.directory.startSync(keepMore(call, subject), call.state.syncDelayMs, isNew)
    return done
  }
  return [
    {
      method: 'GET',
      path,
      scopes: read,
      query: paging,
      answer: record({ [`${kind}s`]: listOf(item.answer) }),
      handle: (call) => {
        const { directory, behaviour } = call.state
        const all = directory.list(kind) as readonly Either[K][]
        // Sorted out before paging: objects whose creation is still hidden.
        const visible =
          behaviour.afterCreate === 'visibleAtOnce' ? all : all.filter((each) => directory.isVisible(each))
        return { [`${kind}s`]: pageOf(visible, call, 0).map((each) => item.view(call, each)) }
      },
    },
    withBody({
      method: 'POST',
      path,
      scopes: write,
      body: of.createBody,
      open: true,
      handle: (call, body) => written(call, of.create(call, body), true),
    }),
    ...forms((path) => ({
      method: 'GET',
      path,
      scopes: read,
      answer: whole.answer,
      handle: (call) => whole.view(call, readable(call, kind)),
    })),
    ...forms((path) =>
      withBody({
        method: 'PATCH',
        path,
        scopes: write,
        body: of.updateBody,
        open: true,
        handle: (call, body) => {
          const subject = unlocked(call, kind)
          of.update(call, subject, body)
          return written(call, subject)
        },
      }),
    ),
    ...forms((path) => ({
      method: 'DELETE',
      path,
      scopes: write,
      // A body is not looked at: whoever means an update and sends DELETE loses the group, here as there.
      handle: (call) => {
        call.state.directory.delete(unlocked(call, kind), call.state.syncDelayMs)
        return done
      },
    })),
  ]
}
