// `svcsync api`: one authenticated call to any endpoint, with the names, retries and pages of every other run.
import { isUtf8 } from 'node:buffer'
import { resolve } from 'node:path'
import { cwd, stdin } from 'node:process'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import { pathsIn } from '@svcsync/core/model/schema-fields.ts'
import { effectIsUnknown, failureCodes, OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBounded } from '@svcsync/files/read-bounded.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { readPages } from '@svcsync/live/read-pages.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { endpointOf, endpoints } from '@svcsync/platform/endpoints.ts'
import type { Project } from '@svcsync/project/project.ts'
import { indent, type Line, paint, piece } from '@svcsync/render/text/line.ts'
import { neutralise, neutraliseLines, safeJson } from '@svcsync/render/text/neutralise.ts'
import { checkInstallation, installationNeeds } from '@svcsync/runs/plan/check-installation.ts'
import { confirmWrite } from '../../planning/ask-to-apply.ts'
import { connectForCommand, targetForCommand } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import { reportError } from '../../terminal/report-error.ts'
import type { api } from '../platform.ts'
import { download, refuseOutput, writeAnswer } from './answer-file.ts'

type ApiOptions = Values<typeof api>

export async function apiCommand(
  options: ApiOptions,
  console: Console,
  { method, path }: { method?: string; path?: string },
) {
  if (options.list !== undefined) return listEndpoints([options.list, method, path], console)
  const opened = targetForCommand(options)
  const { project } = opened
  noteProject(project.file, options, console)
  const call = await readCall(method, path, options, project)
  const stop = new AbortController()
  const client = connectForCommand(project, options, console, stop.signal)
  try {
    return await sendCall(call, client, project, options, console, () => stop.abort())
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { verbose = false, color } = options
    reportError(withAdvice(error, call.endpoint), { verbose, color, json: false })
    return exitCodeOf(error)
  } finally {
    await client.close()
  }
}

function exitCodeOf(error: PlatformError) {
  // A write was sent, and nobody knows what became of it.
  if (effectIsUnknown(error)) return exitCodes.partial
  if (error.code === failureCodes.interrupted) return exitCodes.interrupted
  if (error.kind !== 'status' || error.status === undefined) return exitCodes.error
  // The platform failed; or the request is not what it, or the state of the object, allows: nothing was carried out.
  return error.status >= 500 ? exitCodes.notConverged : exitCodes.refused
}

/** Somebody who is refused wants to know which scopes would do, and who lost an answer what is to be done now. */
function withAdvice(error: PlatformError, endpoint: (typeof endpoints)[number] | undefined): PlatformError {
  const scopes = error.status === 403 ? (endpoint?.scopes ?? []) : []
  const advice = effectIsUnknown(error)
    ? 'It may have succeeded: check before you send it again.'
    : error.status === 404 && endpoint === undefined
      ? 'svcsync does not know this endpoint either: `svcsync api --list` shows the known ones.'
      : scopes.length > 0 && `It needs one of the scopes ${scopes.join(', ')}.`
  if (advice === false) return error
  return new PlatformError(error.code, error.message, error, { hint: `${advice} ${error.hint ?? ''}`.trim() })
}

interface ApiCall {
  readonly request: Omit<PlatformRequest, 'pathIn50'> & { readonly version?: string | undefined }
  readonly endpoint: (typeof endpoints)[number] | undefined
}

async function sendCall(
  { request, endpoint }: ApiCall,
  client: PlatformClient,
  project: Project,
  options: ApiOptions,
  console: Console,
  stop: () => void,
) {
  const { target, settings } = project
  if (options.dryRun === true) {
    const shown = { ...request, ...(request.query && { query: withoutValues(request.query) }) }
    await console.result(previewOf(client.preview(shown)))
    return exitCodes.done
  }
  if (options.output !== undefined) refuseOutput(options.output, options)
  const isWrite = request.method !== 'GET'
  if (isWrite) {
    const act = neutralise(`${request.method} ${pathWithQuery(request)}`)
    const first = 'Review it with --dry-run, then'
    await confirmWrite({ act, what: `Send ${act} to`, first }, target, options, console)
  }
  // A scope of one process or application cannot be chosen without knowing which: the token carries all then.
  const scopes = endpoint?.scopes ?? []
  // Installations check one family of these scopes or the other.
  const ask = scopes.some((scope) => scope.startsWith('Admin.ProcessConstants.')) ? 'all' : 'first'
  if (scopes.length > 0 && !scopes.some((scope) => scope.includes('<')))
    await client.authorise([{ anyOf: scopes, ask }, ...(isWrite ? installationNeeds(project) : [])])
  if (isWrite) await checkInstallation(project, client, { applies: true })
  if (options.paginate === true) {
    await printAnswer({ json: await allPages({ request, endpoint }, client, settings.pageSize) }, options, console)
    return exitCodes.done
  }
  const noteStatus = (status: number): void => {
    if (isWrite) console.note(`${request.method} ${request.path}: done, the platform answered ${status}.`)
  }
  if (options.output !== undefined) {
    await download(request, client, options.output, { said: noteStatus, stop, console })
    return exitCodes.done
  }
  const answer = await client.call(request)
  noteStatus(answer.status)
  await printAnswer(answer, options, console)
  return exitCodes.done
}

/** With its parameters, since only these may name the account of a write. */
function pathWithQuery({ path, query = {} }: ApiCall['request']): string {
  const parameters = Object.entries(withoutValues(query)).map(([name, value]) => `${name}=${String(value)}`)
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** As a request is written. The token, which is fetched when it is sent, has no place in it. */
function previewOf({ method, url, body }: ReturnType<PlatformClient['preview']>): string {
  const head = `${method} ${url}\naccept: application/json\nauthorization: Bearer (a token)\n`
  return body === undefined ? head : `${head}content-type: application/json\n\n${safeJson(withoutSecrets(body))}\n`
}

const withoutValues = (query: NonNullable<PlatformRequest['query']>): NonNullable<PlatformRequest['query']> =>
  withoutSecrets({ ...query }) as NonNullable<PlatformRequest['query']>

/** Without secrets, as kinds mark them and as others are named: a preview ends in the log of a pipeline. */
function withoutSecrets(body: Json): Json {
  const paths = kinds.flatMap(({ sections }) =>
    sections.flatMap(({ schema }) => pathsIn(schema, ({ secret }) => secret === true)),
  )
  const secrets = new Set(paths.map((path) => path.at(-1)?.toLowerCase()))
  const bare = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(bare)
    if (!isJsonObject(value)) return value
    const entries = Object.entries(value).map(([key, each = null]) => {
      const isSecret = secrets.has(key.toLowerCase()) || /(?:password|secret|token)$/i.test(key)
      return [key, isSecret && typeof each === 'string' ? '(a secret)' : bare(each)]
    })
    return Object.fromEntries(entries)
  }
  return bare(body)
}

async function printAnswer(
  { json, bytes }: { readonly json: Json | undefined; readonly bytes?: Buffer },
  { output }: ApiOptions,
  console: Console,
): Promise<void> {
  if (output !== undefined) return writeAnswer(`${safeJson(json)}\n`, output, console)
  if (json !== undefined) return console.result(safeJson(json))
  if (bytes === undefined || bytes.length === 0) return
  const text = new TextDecoder('utf-8').decode(bytes)
  if (text.includes('\uFFFD'))
    throw new OperatorError('SVC2182', 'The answer is no text', { hint: 'Put it into a file: `--output FILE`.' })
  return console.result(neutraliseLines(text))
}

async function allPages({ request, endpoint }: ApiCall, client: PlatformClient, pageSize: number): Promise<Json> {
  const { size = pageSize, ...query } = request.query ?? {}
  const { json } = await client.call(request)
  const lists = isJsonObject(json) ? Object.keys(json).filter((key) => Array.isArray(json[key])) : []
  const [key] = lists
  if (key === undefined || lists.length > 1) {
    const held = lists.length === 0 ? 'no list' : 'several lists'
    throw misuse(`The answer to GET ${request.path} holds ${held}`, 'Leave `--paginate` out.')
  }
  // Some lists come whole, and know no pages.
  if (endpoint?.query.includes('page') === false) return { [key]: (json as JsonObject)[key] ?? [] }
  // Equal rows of one page are several, and of two pages one: an id may be that of a database or an application.
  const ids = new WeakMap<object, string>()
  const sender = {
    send: async (page: PlatformRequest) => {
      const { json } = await client.call({ ...request, ...page })
      const counts = new Map<string, number>()
      const rows = isJsonObject(json) ? json[key] : undefined
      for (const row of Array.isArray(rows) ? rows.filter(isJsonObject) : []) {
        const text = JSON.stringify(row)
        const count = (counts.get(text) ?? 0) + 1
        counts.set(text, count)
        ids.set(row, `${count} ${text}`)
      }
      return json
    },
  }
  const idOf = (row: JsonObject): string => ids.get(row) ?? ''
  const items = await readPages(sender, {
    path: request.path,
    key,
    size: Number(size),
    query,
    idOf,
    read: (row) => row,
  })
  return { [key]: [...items] }
}

async function readCall(
  given: string | undefined,
  where: string | undefined,
  options: ApiOptions,
  { target }: Project,
): Promise<ApiCall> {
  // `api /me` reads.
  const isRead = where === undefined && given?.startsWith('/') === true
  const method = (isRead ? 'GET' : (given ?? '')).toUpperCase()
  const address = isRead ? given : where
  if (address === undefined || !isMethod(method))
    throw misuse(
      given === undefined
        ? 'The method and the path are missing'
        : `\`${[given, where].filter(Boolean).join(' ')}\` is no call`,
      'Write GET, POST, PATCH or DELETE and a path: `svcsync api GET /admin/users`. `svcsync api --list` lists all.',
    )
  const { path, version, query } = readAddress(address, target.apiVersion)
  const body = await readBody(options)
  if (body !== undefined && method === 'GET')
    throw misuse('GET takes no body', 'Write parameters as `--query name=value`.')
  if (options.paginate === true && method !== 'GET') throw misuse('`--paginate` is for GET alone', 'Leave it out.')
  const all = requireUnique([...query, ...options.query.map((each) => pairOf(each, '--query'))], 'The parameter')
  if (options.paginate === true && Object.hasOwn(all, 'page'))
    throw misuse('`--paginate` reads all pages, and `page` names one', 'Keep one of the two.')
  const endpoint = version === undefined ? endpointOf(method, path) : undefined
  const missing = endpoint?.query.filter((name) => name.endsWith('!') && !Object.hasOwn(all, name.slice(0, -1))) ?? []
  if (missing.length > 0) {
    const [name = ''] = missing.map((each) => each.slice(0, -1))
    throw misuse(`${method} ${path} needs the parameter \`${name}\``, `Write \`--query ${name}=…\`.`)
  }
  const request = {
    method,
    path,
    version,
    ...(Object.keys(all).length > 0 && { query: all }),
    ...(body !== undefined && { body }),
  }
  return { request, endpoint }
}

const isMethod = (word: string): word is PlatformRequest['method'] => ['GET', 'POST', 'PATCH', 'DELETE'].includes(word)

function readAddress(address: string, apiVersion: string) {
  const [whole = '', search = ''] = address.split(/\?(.*)/s)
  const match = /^\/api\/data\/([\w.]+)(\/.*)$/.exec(whole)
  const path = match?.[2] ?? whole
  if (!/^\/[^?#\\\s\p{Cc}]+$/u.test(path) || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path) || /^\/api(?:\/|$)/.test(path))
    throw misuse(
      `\`${address}\` is no path`,
      'Write it below `/api/data/v6.0`, like `/admin/users`, or with that. ' +
        'Percent-encode special characters in a segment: `%5C` for `\\`.',
    )
  const version = match?.[1] === undefined || match[1] === `v${apiVersion}` ? undefined : match[1]
  // Letters of other alphabets go encoded: the system's client refuses them.
  const encoded = path.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  return { path: encoded, version, query: [...new URLSearchParams(search)] }
}

async function readBody({ input, field }: ApiOptions): Promise<Json | undefined> {
  if (input === undefined && field.length === 0) return undefined
  if (input === undefined)
    return requireUnique(
      field.map((each) => pairOf(each, '--field')),
      'The field',
    )
  if (field.length > 0) throw misuse('Both `--input` and `--field` say what to send', 'Keep one of the two.')
  const bytes = input === '-' ? await readStdin() : readBounded(resolve(cwd(), input), largestDocument)
  if (isUnread(bytes))
    throw misuse(`\`${input}\` cannot be read: ${bytes.reason}`, 'Name a file with the body as JSON, or `-` for stdin.')
  // A replacement would be written there.
  if (!isUtf8(bytes)) throw misuse(`\`${input}\` is not UTF-8`, 'Save it as UTF-8.')
  try {
    return JSON.parse(bytes.toString().replace(/^\uFEFF/, '')) as Json
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/, ".*$/s, '') : ''
    throw misuse(`\`${input}\` is no JSON: ${why}`, 'The body is JSON.')
  }
}

/** As it comes: whoever writes there may take its time. */
async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > largestDocument * 1024 * 1024) throw misuse(`stdin has more than ${largestDocument} MB`, 'Send less.')
  }
  return Buffer.concat(chunks)
}

/** `name=text`, or `name:=json` for a number, a list, true, null. */
function pairOf(text: string, option: string): readonly [string, string] {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(text)
  if (match === null) throw misuse(`\`${option} ${text}\` has no value`, `Write \`${option} name=value\`.`)
  const [, name = '', sign, value = ''] = match
  if (sign === '=' || option === '--query') return [name, value]
  try {
    return [name, JSON.parse(value)]
  } catch {
    throw misuse(`\`${option} ${text}\` has no JSON after \`:=\``, `Write a text as \`${option} ${name}=${value}\`.`)
  }
}

/** Rejects a repeated name: one value would be dropped in silence, and a write could reach another account. */
function requireUnique(pairs: readonly (readonly [string, string])[], what: string): Record<string, string> {
  const values = Object.fromEntries(pairs)
  const names = pairs.map(([name]) => name)
  const again = names.find((name, index) => names.indexOf(name) < index)
  if (again === undefined) return values
  throw misuse(`${what} \`${again}\` is given twice`, 'Keep one of the two; a list in the body is `name:=[…]`.')
}

const misuse = (what: string, hint: string): OperatorError => new OperatorError('SVC2181', what, { hint })

async function listEndpoints(words: readonly (string | true | undefined)[], console: Console) {
  const wanted = words.flatMap((word) => (typeof word === 'string' ? [word.toLowerCase()] : []))
  const found = endpoints.filter(({ method, path, does }) =>
    wanted.every((word) => `${method} ${path} ${does}`.toLowerCase().includes(word)),
  )
  if (found.length === 0)
    throw misuse(`No endpoint has \`${wanted.join(' ')}\` in it`, '`svcsync api --list` shows all.')
  const lines = found.flatMap(({ method, path, query, does, scopes }): Line[] => [
    [piece(method.padEnd(7), 'strong'), piece(path + formatQuery(query)), piece(`  ${does}`, 'faint')],
    [indent(7), piece(scopes.length === 0 ? 'no scope is documented' : scopes.join(', '), 'faint')],
  ])
  await console.result(paint(lines, console))
  return exitCodes.done
}

/** `?svcId=…&size=…`, what may be left out in brackets. */
function formatQuery(query: readonly string[]): string {
  if (query.length === 0) return ''
  return `?${query.map((name) => (name.endsWith('!') ? name.slice(0, -1) : `[${name}]`)).join('&')}`
}
