// What the digests of a plan are made of. Hashing itself is a parameter, since core has none.
import type { FoldSvcId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Desired } from './desired.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Section } from './kind.ts'
import type { LiveBasis } from './live-basis.ts'
import type { PlanDocument } from './plan-document.ts'
import { fieldsOf } from './schema-fields.ts'

/** The digest of a text that comes in parts, as `sha256:…`. */
export type Digest = (parts: Iterable<string>) => string

/** What the manifests say of the selected objects, in the order of their addresses: not how they say it, nor where. */
export function* manifestsText(desired: readonly Desired[]): Generator<string> {
  for (const object of desired) {
    const { address, spec, collections, absent, partial, previously } = object
    let text = `${address}\n`
    for (const field of sortedFields(object.declarations[0].section)) {
      const value = spec[field]
      if (value === undefined) continue
      text += `${field}:${typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)}\n`
    }
    for (const name of Object.keys(collections).sort()) {
      const { mode, parts, elements } = collections[name] as Desired['collections'][string]
      const listed = JSON.stringify([...elements.keys()].sort())
      text += `${name} ${mode} ${parts === 'all' ? 'all' : JSON.stringify([...parts].sort())} ${listed}\n`
    }
    if (absent || partial || previously !== undefined) text += JSON.stringify([absent, partial, previously ?? null])
    yield `${text}\n`
  }
}

const sortedBySection = new WeakMap<Section, readonly string[]>()

function sortedFields(section: Section): readonly string[] {
  let fields = sortedBySection.get(section)
  if (fields === undefined) {
    fields = [...fieldsOf(section).fields].sort()
    sortedBySection.set(section, fields)
  }
  return fields
}

export function basisText(basis: LiveBasis, fold: FoldSvcId): string {
  return canonicalJson(comparable(basis as unknown as Json, fold))
}

/**
 * What a reviewer has agreed to: for which installation, what is desired, what is live where something changes, and the
 * requests. Not covered: when it was made and by whom, places, patch versions of the tool, and what only comments on it
 * (warnings, what begins or ends soon, how much is not declared).
 */
export function* contentText(plan: Omit<PlanDocument, 'digest'>, fold: FoldSvcId): Generator<string> {
  const { tool, target, only, manifestsDigest, changes, steps, unreadable } = plan
  const [major] = plan.formatVersion.split('.')
  const { baseUrl, apiVersion, databases } = target
  const head = {
    format: major as string,
    tool: tool.version.split('.').slice(0, 2).join('.'),
    target: { baseUrl, apiVersion, databases },
    only: [...only].sort(),
    manifests: manifestsDigest,
    unreadable: unreadable.map(({ address }) => address).sort(),
  }
  yield `${canonicalJson(head)}\n`
  for (const { address, action } of changes) yield `${action} ${address}\n`
  for (const step of steps) {
    const data = step as unknown as Json
    // Most steps of a large plan have no elements.
    const holdsElements = step.elements !== undefined || step.collections !== undefined
    yield `${canonicalJson(holdsElements ? comparable(data, fold) : data)}\n`
  }
}

/** With elements of collections as they are compared: case as the target has it, companies by their guids. */
function comparable(value: Json, fold: FoldSvcId): Json {
  if (Array.isArray(value)) return value.map((part: Json) => comparable(part, fold))
  if (!isJsonObject(value)) return value
  const { company, svcId } = value
  const result: Record<string, Json | undefined> = {}
  for (const [key, part] of Object.entries(value)) result[key] = part === undefined ? part : comparable(part, fold)
  if (typeof svcId === 'string') result.svcId = fold(svcId)
  if (isJsonObject(company) && typeof company.guid === 'string') result.company = company.guid.toLowerCase()
  return result
}

/** Sixteen digits are enough to tell plans apart, and short enough to be read. */
const shortLength = 16

/** `0123456789abcdef`: the form in which a digest is shown to people. */
export function shortDigest(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1).slice(0, shortLength)
}

/** Brings a digest as people give it, short or whole, to its digits. Undefined: it is none, or fewer digits than are shown. */
export function parseDigest(text: string): string | undefined {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
  return /^[0-9a-f]+$/.test(digits) && digits.length >= shortLength && digits.length <= 64 ? digits : undefined
}

/** `expected`: from `parseDigest`. */
export function isDigest(digest: string, expected: string): boolean {
  return digest.slice(digest.indexOf(':') + 1).startsWith(expected)
}
