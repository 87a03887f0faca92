// An endpoint as data: what it accepts, which scopes it asks for, and what it does. The server does the rest.
import type { Json, JsonObject } from '../../core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Shape } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Grant } from './tokens.ts'

export type ApiVersion = '5.0' | '6.0' | 'beta'

/** One request that has passed token, scopes, query and body checks. */
export interface Call {
  readonly state: PlatformState
  readonly api: ApiVersion
  readonly grant: Grant
  /** Percent-decoded once. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Fields of the body that no document has, where the installation takes them. */
  readonly more?: JsonObject | undefined
  /** Link to something else of the same API version. */
  readonly link: (path: string) => Json
}

/** A write that has nothing to say: empty in 6.0, a bare string in 5.0. */
export const done = Symbol('done')
export type Result = Json | typeof done

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/data/v{version}`, with `:name` for variable parts. */
  readonly path: string
  /** The only version that has it; both when absent. */
  readonly only?: ApiVersion
  /** Any one of these is enough; empty: any valid token. */
  readonly scopes: readonly string[] | ((behaviour: Behaviour) => readonly string[])
  /** Query parameters, each required or not. All others are refused. */
  readonly query?: Readonly<Record<string, 'required' | 'optional'>>
  readonly body?: Shape<unknown>
  /** Takes a file: `handle` gets its bytes. */
  readonly upload?: true
  /** Of the answer, where it is not 200. */
  readonly status?: 201
  /** Takes fields that no document has, where the installation does. */
  readonly open?: true
  /** What it answers; absent where it has nothing to say. Not checked here: tests hold every answer against it. */
  readonly answer?: Shape<unknown>
  readonly handle: (call: Call, body: unknown) => Result
}

/** Gives the handler of a route with a body the type that the shape promises. */
export function withBody<T>(
  route: Omit<Route, 'body' | 'handle'> & { body: Shape<T>; handle: (call: Call, body: T) => Result },
): Route {
  // The server calls it with what has passed this very shape.
  return { ...route, handle: (call, body) => route.handle(call, body as T) }
}

/**
 * Both forms of an endpoint that is about one svcId: `{plural}/{svcId}{suffix}` and `{singular}{suffix}?svcId=`.
 */
export function bothForms(singular: string, plural: string, suffix: string, make: (path: string) => Route): Route[] {
  const queryForm = make(`${singular}${suffix}`)
  return [make(`${plural}/:svcId${suffix}`), { ...queryForm, query: { ...queryForm.query, svcId: 'required' } }]
}

/** The svcId of either form. */
export function svcIdOf(call: Call): string {
  return call.params.svcId ?? call.query.svcId ?? ''
}
