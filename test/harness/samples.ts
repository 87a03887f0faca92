// Samples of a kind, from which its life on the embedded platform is made.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'

interface Samples {
  readonly minimal: JsonObject
  readonly full: JsonObject
  readonly changed: JsonObject
  /** The schema or a rule refuses each. */
  readonly invalid: readonly JsonObject[]
}

export function samplesOf({ name }: Pick<Kind, 'name'>): Samples {
  return parse(readFileSync(`test/contract/samples/${name}.yaml`, 'utf8'))
}
