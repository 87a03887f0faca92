// The declarations of a saved plan as they were: their references are resolved here and now, on the applying side.
import { resolve } from 'node:path'
import { accountEnd } from '@svcsync/core/assemble/account-ends.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { AssemblySettings, Desired } from '@svcsync/core/model/desired.ts'
import { canonicalJson, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind, Section } from '@svcsync/core/model/kind.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'
import type { Path, Source } from '@svcsync/core/model/source.ts'
import { restoreItem, type SavedDeclared, type SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { AuthorError, compareProblems, type Place, type Problem, RefusedError } from '@svcsync/errors/index.ts'
import type { LoadOptions } from '@svcsync/manifests/load-manifests.ts'
import { resolveTemplate } from '@svcsync/manifests/resolve-template.ts'
import { Resolver } from '@svcsync/manifests/resolver.ts'
import { referenceFacts } from '../plan/plan-facts.ts'

/** For the applying side. No plan holds variables from the environment or a file. */
type RestoreOptions = Required<Pick<LoadOptions, 'kinds' | 'env' | 'projectDir' | 'readFilesFrom' | 'variables'>>

export function restoreBase(base: SavedDeclared, kinds: readonly Kind[]) {
  return { declarations: restoreItems(base, kinds, (template) => new Sensitive(template, '')), sets: restoreSets(base) }
}

/** Throws an AuthorError with everything that is missing: variables that are not set, files that are not there. */
export function restoreDeclarations({ saved }: SavedPlan, options: RestoreOptions) {
  const { env, projectDir, readFilesFrom } = options
  const own = Object.entries(options.variables).filter(([, value]) => value instanceof Sensitive)
  const variables = { ...Object.fromEntries(own), ...saved.variables }
  const resolver = new Resolver({ variables, env, projectDir, readFilesFrom })
  const problems: Problem[] = []
  const declarations = restoreItems(saved, options.kinds, (template, path, place, { schema, file }) =>
    resolveTemplate({ template, from: resolve(projectDir, file), place, schema, path }, resolver, problems),
  )
  if (problems.length > 0) throw new AuthorError(problems.sort(compareProblems))
  const files = new Map(declarations.map((declaration, index) => [declaration, saved.declarations[index]?.file ?? '']))
  return {
    declarations,
    sets: restoreSets(saved),
    /** The objects that other variables or folders would resolve differently than in the plan. */
    otherwiseResolved: (desired: readonly Desired[]): readonly string[] => {
      const agreed = new Set(saved.references.map((fact) => canonicalJson(fact as unknown as Json)))
      const found = referenceFacts(desired, variables, (declaration) => files.get(declaration) ?? '')
      return found.filter((fact) => !agreed.has(canonicalJson(fact as unknown as Json))).map(({ address }) => address)
    },
  }
}

type ResolveReference = (
  template: string,
  path: Path,
  place: Place,
  at: { readonly schema: Section['schema']; readonly file: string },
) => Sensitive | undefined

function restoreItems(
  saved: Pick<SavedPlan['saved'], 'declarations'>,
  kinds: readonly Kind[],
  resolveAt: ResolveReference,
): readonly Declaration[] {
  const declarations: Declaration[] = []
  for (const entry of saved.declarations) {
    const { kind, section } = findSection(entry, kinds)
    const { file, database } = entry
    const item = restoreItem(entry.item, (template, path, place) =>
      resolveAt(template, path, place, { schema: section.schema, file }),
    )
    const parent = entry.parent === undefined ? undefined : declarations[entry.parent]
    declarations.push({ kind, section, item: item as JsonObject, source: sourceAt(entry.place), database, parent })
  }
  return declarations
}

function restoreSets({ sets }: Pick<SavedPlan['saved'], 'sets'>): ReadonlyMap<string, AccountSet> {
  return new Map(
    sets.map(({ name, items, place }): [string, AccountSet] => [
      name,
      { name, items: items as readonly Json[], source: sourceAt(place), place },
    ]),
  )
}

export function restoreEnds(
  { ends = [] }: Pick<SavedPlan['saved'], 'ends'>,
  { normalise, time }: Pick<AssemblySettings, 'normalise' | 'time'>,
): AssemblySettings['ends'] {
  return new Map(
    ends.flatMap(({ svcId, until, place }) => {
      const end = accountEnd(svcId, until, place, time)
      return end === undefined ? [] : [[normalise(svcId), end] as const]
    }),
  )
}

/** A plan keeps one place for each item: what is found now is about the item as a whole. */
function sourceAt(place: Place): Source {
  return { file: place.file, placeAt: () => place }
}

function findSection(
  entry: SavedPlan['saved']['declarations'][number],
  kinds: readonly Kind[],
): { kind: Kind; section: Section } {
  const kind = kinds.find(({ name }) => name === entry.kind)
  const section = kind?.sections.find(({ key }) => key === entry.section)
  if (kind !== undefined && section !== undefined) return { kind, section }
  throw new RefusedError('SVC2104', `The plan holds a ${entry.kind}, which this svcsync does not know`, {
    hint: 'Plan and apply with the same version of svcsync.',
  })
}
