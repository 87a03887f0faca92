// An endpoint: its address, its scopes, its input and output, and its action.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Shape } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Tokens } from './tokens.ts'

type ApiVersion = '5.0' | '6.0' | 'beta'

/** One request that has passed token, scopes, query and body checks. */
export interface Call {
  readonly state: PlatformState
  readonly api: ApiVersion
  readonly grant: ReturnType<Tokens['check']>
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
type HandlerResult = Json | typeof done

interface Traits {
  /** Query parameters, each required or not. All others are refused. */
  readonly query?: Readonly<Record<string, 'required' | 'optional'>>
  /** The only version that has it; both when absent. */
  readonly only?: ApiVersion
  /** Takes a file: `handle` gets its bytes. */
  readonly upload?: true
  /** The status of the answer, if it is not 200. */
  readonly status?: 201
  /** Takes fields that no document has, where the installation does. */
  readonly open?: true
  /** The shape of the answer; absent if it is empty. Tests check every answer against it, this code does not. */
  readonly answer?: Shape<unknown>
}

export interface Route extends Traits {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/data/v{version}`, with `:name` for variable parts. */
  readonly path: string
  /** Any one of these is enough; empty: any valid token. */
  readonly scopes: readonly string[] | ((behaviour: Behaviour) => readonly string[])
  readonly body?: Shape<unknown>
  readonly handle: (call: Call, body: unknown) => HandlerResult
}
type Scopes = Route['scopes']

export function get(path: string, scopes: Scopes, traits: Traits & { answer: object }, handle: Route['handle']): Route {
  return { method: 'GET', path, scopes, ...traits, handle }
}

/** A write without a body. */
export function act(
  method: 'POST' | 'DELETE',
  path: string,
  scopes: Scopes,
  traits: Traits,
  handle: Route['handle'],
): Route {
  return { method, path, scopes, ...traits, handle }
}

/** A write with one: the handler gets it with the type that the shape promises. */
export function write<T>(
  method: 'POST' | 'PATCH',
  path: string,
  scopes: Scopes,
  traits: Traits & { readonly body: Shape<T> },
  handle: (call: Call, body: T) => HandlerResult,
): Route {
  // The server calls it with what has passed this very shape.
  return { method, path, scopes, ...traits, handle: (call, body) => handle(call, body as T) }
}

/** Both forms of an endpoint that is about one svcId: `{path}s/{svcId}{suffix}` and `{path}{suffix}?svcId=`. */
export function inBothForms(path: string, suffix: string, make: (path: string) => Route): Route[] {
  const queryForm = make(`${path}${suffix}`)
  return [make(`${path}s/:svcId${suffix}`), { ...queryForm, query: { ...queryForm.query, svcId: 'required' } }]
}

export function prefixOf(api: ApiVersion): string {
  return api === 'beta' ? '/api/data/beta' : `/api/data/v${api}`
}

/** With variable parts as OpenAPI has them. */
export function documentedPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

/** The svcId of either form. */
export function svcIdOf(call: Call): string {
  return call.params.svcId ?? call.query.svcId ?? ''
}
