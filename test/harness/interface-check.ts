// Holds what an emulator accepted and answered against the interface's documents: what they say is what the emulator
// does, and what svcsync sends.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { EmulatorOptions } from '../../src/emulator/index.ts'

type Node = Readonly<Record<string, unknown>>

/** By what it is about, in words. */
const validators = new Map<string, ValidateFunction | undefined>()
const ajvs = new Map<string, Ajv2020>()

const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

function ajvOf(api: string): Ajv2020 {
  const made = ajvs.get(api)
  if (made !== undefined) return made
  const file = join(import.meta.dirname, `../../schemas/platform-${api}.openapi.json`)
  // Each worker compiles them anew: better code would take longer to make than it saves.
  const quickly = { validateSchema: false, inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, verbose: true, ...quickly })
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, api)
  ajvs.set(api, ajv)
  return ajv
}

/** Undefined: the documents have no such body or answer. */
function compiled(api: string, steps: readonly string[]): ValidateFunction | undefined {
  const ajv = ajvOf(api)
  const document = ajv.schemas[api]?.schema as Node
  const there = steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document) !== undefined
  return there ? ajv.compile({ $ref: `${api}#/${steps.map(escaped).join('/')}` }) : undefined
}

const inContent = ['content', 'application/json', 'schema']

/** Fields that tests have an installation tell: see `undocumentedFields`. */
const undocumented = ['costCentre', 'region', 'tags', 'place', 'key', 'keys', 'isolation', 'mode', 'SQL', 'connection']

/** Words that tests have it tell and take: see `newWords`. */
const newWords: readonly unknown[] = ['AgentUser', 'OAuth3']

/** The breaches of a request, one by one. */
export function breachesOf({
  api,
  method,
  path,
  body,
  answer,
}: Parameters<NonNullable<EmulatorOptions['onExchange']>>[0]): readonly string[] {
  if (api === 'beta') return []
  const operation = ['paths', `/api/data/v${api}${path}`, method.toLowerCase()]
  const parts = [
    ['request', ['requestBody', ...inContent], body],
    ['answer', ['responses', '200', ...inContent], answer],
  ] as const
  return parts.flatMap(([what, steps, value]) => {
    if (value === undefined) return []
    const where = `${what} of ${method} ${path} of ${api}`
    if (!validators.has(where)) validators.set(where, compiled(api, [...operation, ...steps]))
    const validate = validators.get(where)
    if (validate === undefined) return [`${where}: the document has none`]
    if (validate(value)) return []
    const errors = (validate.errors ?? []).filter(
      ({ params, data }) => !undocumented.includes(params.additionalProperty) && !newWords.includes(data),
    )
    return errors.map(({ instancePath, message, params }) => {
      return `${where}: ${instancePath} ${message} ${JSON.stringify(params)}`
    })
  })
}
