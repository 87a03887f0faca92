// Asks the platform while the manifests are still being parsed: for the token, and for objects that are read one by one once a list has
// named them. A plan waits for answers most of its time, and could ask for them before it knows all that it wants. What it asks, and
// what it says of the answers, is the same. Measured in docs/adr/0050.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Declaration, identityOf } from '../../core/model/declaration.ts'
import { getOrInsert } from '../../core/model/group-by.ts'
import { nameKey } from '../../core/model/identity.ts'
import { isJsonObject, type Json } from '../../core/model/json.ts'
import type { Kind, ListRequest } from '../../core/model/kind.ts'
import type { PlatformRequest } from '../../core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../../errors/index.ts'
import { fewObjects } from '../../live/read-live.ts'
import { kindsWritten } from '../../manifests/kinds-written.ts'
import type { TextSource } from '../../manifests/text-source.ts'
import { createHandOver, type PlatformClient } from '../../platform/index.ts'
import type { Project } from '../../project/project.ts'
import { type OpenOptions, type ReadProject, readingProject } from '../open/open-project.ts'
import { readNeeds } from '../open/scope-needs.ts'
import { installationNeeds } from './check-installation.ts'
import { pruneRules } from './prune-plan.ts'

/** In characters. Below it, parsing takes no longer than what is asked ahead. */
const leastText = 50_000

/**
 * The project as `readProject` gives it, and a client that has answers already, where there was anything to ask ahead. `connect`: for
 * a project whose file is sound; undefined where that fails, which whoever connects later tells.
 */
export async function readAskingAhead(
  options: OpenOptions,
  connect: (project: Project) => PlatformClient | undefined,
): Promise<{ readonly read: ReadProject; readonly client: PlatformClient | undefined }> {
  let ahead: ReturnType<typeof askAhead> | undefined
  const reading = readingProject(options, (project, texts) => {
    const needs = needsAhead(project, texts, options.kinds)
    const client = needs && connect(project)
    ahead = client && askAhead(client, needs, project.settings.pageSize)
  })
  for (;;) {
    const step = reading.next()
    if (step.done) return { read: step.value, client: ahead?.client }
    if (ahead === undefined) continue
    ahead.learn(step.value.declarations)
    await nextTurn()
  }
}

/** Work in steps: between two of them answers are taken that came meanwhile, and requests leave. */
export async function betweenAnswers<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}

type Needs = Parameters<PlatformClient['authorise']>[0]

/** What a plan of these manifests will ask access to. Undefined: nobody knows yet, or it is not worth it. */
function needsAhead(project: Project, texts: readonly TextSource[], kinds: readonly Kind[]): Needs | undefined {
  if (texts.reduce((sum, { text }) => sum + text.length, 0) < leastText) return undefined
  const all = texts.map(({ text }) => text)
  const written = kindsWritten(all, kinds)
  if (written === undefined || written.size === 0) return undefined
  const pruned = pruneRules(project, kinds, []).map(({ kind }) => kind)
  return [...readNeeds([], [...pruned, ...written]), ...installationNeeds(project.target, kinds)]
}

/** So many reads are under way or wait to be sent: what the run itself asks stands behind no more. */
const mostAhead = 64

/** Undefined: it failed before the client knew what to conceal in errors, and is to be asked again. */
type Outcome = { readonly answer: Json | undefined } | { readonly error: unknown } | undefined

function askAhead(client: PlatformClient, needs: Needs, pageSize: number) {
  const token = client.authorise(needs)
  token.catch(() => undefined)
  const handOver = createHandOver()
  const asked = new Map<string, Promise<Outcome>>()
  const singles = new Map<Kind, ReturnType<typeof singlesOf>>()
  const waiting: PlatformRequest[] = []
  let underWay = 0
  /** The run asks for itself, or something failed. */
  let isOver = false
  let conceals = false

  function ask(request: PlatformRequest): Promise<Outcome> {
    const outcome = token
      .then(() => client.send(request))
      .then(
        (answer) => ({ answer }),
        (error: unknown) => {
          isOver = true
          return conceals ? { error } : undefined
        },
      )
    asked.set(nameOf(request), outcome)
    return outcome
  }

  function askWaiting(): void {
    while (!isOver && underWay < mostAhead) {
      const request = waiting.shift()
      if (request === undefined) return
      underWay += 1
      void ask(request).then(() => {
        underWay -= 1
        askWaiting()
      })
    }
  }

  /** Objects of one kind: each is read when it is both declared and listed, as it will be by the run. */
  function singlesOf(kind: Kind) {
    const declared = new Set<string>()
    const listed = new Map<string, PlatformRequest>()
    const take = (list: ListRequest, outcome: Outcome): void => {
      if (outcome === undefined || !('answer' in outcome)) return
      for (const item of itemsIn(outcome.answer, list)) {
        const part = kind.parseItem?.(item)
        if (part === undefined || !('name' in part)) continue
        const request = kind.requests.read?.({ name: part.name, self: part.self })
        const key = nameKey(kind, part.name, client.normalise)
        if (request === undefined || listed.has(key)) continue
        listed.set(key, request)
        if (declared.has(key)) waiting.push(request)
      }
      askWaiting()
    }
    return (declaration: Declaration): void => {
      const name = identityOf(declaration)
      const key = nameKey(kind, name, client.normalise)
      if (declared.has(key)) return
      declared.add(key)
      const request = listed.get(key)
      if (request !== undefined) waiting.push(request)
      const list = kind.requests.list?.({ name })
      // From here on the list is read in any case, and the first two pages of it are.
      if (list === undefined || declared.size !== fewObjects + 1) return
      for (const page of [0, 1]) {
        const first: PlatformRequest = { method: 'GET', path: list.path, query: { size: pageSize, page } }
        void ask(first).then((outcome) => take(list, outcome))
      }
    }
  }

  return {
    learn(declarations: readonly Declaration[]): void {
      for (const declaration of declarations) {
        const { kind } = declaration
        if (isReadSingly(kind)) getOrInsert(singles, kind, singlesOf)(declaration)
      }
      askWaiting()
    },
    client: {
      ...client,
      conceal(values: Parameters<PlatformClient['conceal']>[0]): void {
        conceals = true
        client.conceal(values)
      },
      async authorise(wanted: Needs): Promise<void> {
        await token.catch((error: unknown) => {
          // Which scopes are missing is said of what is declared in the end. All else would be refused a second time.
          if (!(error instanceof PlatformError) || error.code !== failureCodes.scopesMissing) throw error
        })
        await client.authorise(wanted)
      },
      async send(request: PlatformRequest): Promise<Json | undefined> {
        isOver = true
        const name = nameOf(request)
        const outcome = await asked.get(name)
        asked.delete(name)
        if (outcome === undefined) return client.send(request)
        if ('error' in outcome) throw outcome.error
        await handOver()
        return outcome.answer
      },
    } satisfies PlatformClient,
  }
}

/** Groups: a list by pages gives their names, and each is read by itself. */
function isReadSingly({ scope, parseItem, key }: Kind): boolean {
  return scope === 'installation' && parseItem !== undefined && key === undefined
}

function nameOf({ method, path, query }: PlatformRequest): string {
  return `${method} ${path} ${JSON.stringify(query ?? null)}`
}

/** None where the answer is no such list: the run will say so. */
function itemsIn(answer: Json | undefined, { key }: ListRequest): readonly Json[] {
  const items = isJsonObject(answer) ? answer[key] : undefined
  return Array.isArray(items) ? items : []
}
