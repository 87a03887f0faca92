// Holds what an emulator accepted and answered against the interface's documents: what they say is what the emulator does,
// and what svcsync sends.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { EmulatorOptions } from '../../src/emulator/index.ts'

type Node = Readonly<Record<string, unknown>>

const validators = new Map<string, ValidateFunction | undefined>()
const ajvs = new Map<string, Ajv2020>()

const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

function ajvOf(api: string): Ajv2020 {
  const made = ajvs.get(api)
  if (made !== undefined) return made
  const file = join(import.meta.dirname, `../../schemas/platform-${api}.openapi.json`)
  const ajv = new Ajv2020({ strict: false, verbose: true })
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, api)
  ajvs.set(api, ajv)
  return ajv
}

/** Undefined: the documents have no such body or answer. */
function validator(api: string, steps: readonly string[]): ValidateFunction | undefined {
  const pointer = `${api}#/${steps.map(escaped).join('/')}`
  if (!validators.has(pointer)) {
    const ajv = ajvOf(api)
    const document = ajv.schemas[api]?.schema as Node
    const there = steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document) !== undefined
    validators.set(pointer, there ? ajv.compile({ $ref: pointer }) : undefined)
  }
  return validators.get(pointer)
}

const inContent = ['content', 'application/json', 'schema']

/** Fields that tests have an installation tell: see `undocumentedFields`. */
const undocumented = ['costCentre', 'region', 'tags', 'place', 'key', 'keys', 'isolation', 'mode', 'SQL', 'connection']

/** Words that tests have it tell and take: see `newWords`. */
const newWords: readonly unknown[] = ['AgentUser', 'OAuth3']

/** What is wrong with it, one by one. */
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
    const validate = validator(api, [...operation, ...steps])
    const where = `${what} of ${method} ${path} of ${api}`
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
