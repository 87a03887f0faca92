// Collects the secrets that a project's manifests take from the environment and from files.
import { type Sensitive, sensitivesIn } from '@svcsync/core/model/sensitive.ts'
import type { OpenedProject } from './open-project.ts'

/** Gathered on demand, since most runs have no error from which to remove them. */
export function secretsOf({ declarations }: Pick<OpenedProject, 'declarations'>): () => readonly Sensitive[] {
  let gathered: readonly Sensitive[] | undefined
  return () => {
    gathered ??= [
      ...new Map(
        declarations.flatMap(({ item }) => sensitivesIn(item)).map((each) => [each.reveal(), each] as const),
      ).values(),
    ]
    return gathered
  }
}
