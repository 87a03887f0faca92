// Manifests made of the samples of kinds, for tests that take every kind through something.
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { kinds } from '../../src/kinds/index.ts'
import { samplesOf } from './samples.ts'

type Document = Record<string, JsonObject[]>

/** One document that holds a sample of every kind. `pick` changes a sample, or leaves it out. */
export function sampleManifest(
  pick: (samples: ReturnType<typeof samplesOf>, kind: Kind) => JsonObject | undefined,
): string {
  const documents = kinds.map((kind) => {
    const item = pick(samplesOf(kind), kind)
    return item === undefined ? {} : documentOf(kind, item)
  })
  const whole: Document = {}
  for (const document of documents) {
    for (const [key, items] of Object.entries(document)) whole[key] = [...(whole[key] ?? []), ...items]
  }
  return stringify({ database: 'main', ...whole })
}

/** The item inside the items of the kinds that it stands in. */
export function documentOf(kind: Kind, item: JsonObject, section = kind.sections[0]): Document {
  if (section.within === undefined) return { [section.key]: [item] }
  const outer = kinds.find(({ name }) => name === section.within) as Kind
  return documentOf(outer, { ...samplesOf(outer).minimal, [section.key]: [item] })
}
