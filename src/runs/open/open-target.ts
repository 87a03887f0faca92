// Opens a project for a run that looks at its target and not at its manifests.
import type { Kind } from '../../core/model/kind.ts'
import type { Problem } from '../../errors/index.ts'
import type { TextSource } from '../../manifests/text-source.ts'
import type { Policy } from '../../policies/index.ts'
import { loadProject } from '../../project/load-project.ts'
import type { Project } from '../../project/project.ts'
import type { Addresses } from '../../project/read-addresses.ts'
import { hasErrors, projectFile, UnusableProject } from './open-project.ts'

export interface OpenTargetOptions {
  /** Path of the project file; undefined: looked for upwards from `cwd`. */
  readonly project?: string | undefined
  readonly target?: string | undefined
  readonly concurrency?: number | undefined
  /** `--base-url` and `--auth-url`: in the place of what the target says. */
  readonly addresses?: Addresses | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly kinds: readonly Kind[]
}

export interface OpenedTarget {
  readonly project: Project
  /** Undefined: they are not loaded yet (see withTargetPolicies). */
  readonly policies?: readonly Policy[]
  /** Places show paths relative to this folder. */
  readonly displayBase: string
  /** Warnings. */
  readonly problems: readonly Problem[]
  readonly sources: ReadonlyMap<string, TextSource>
}

/** Throws an OperatorError where there is no project file, and an UnusableProject where there are errors in it. */
export function openTarget({
  cwd,
  env,
  kinds,
  target,
  concurrency,
  addresses,
  ...options
}: OpenTargetOptions): OpenedTarget {
  const file = projectFile(options.project, cwd)
  const overrides = { concurrency, addresses }
  const read = loadProject(file, { kinds, env, needCredentials: true, target, displayBase: cwd, overrides })
  const { project, problems, sources } = read
  if (project === undefined || hasErrors(problems)) throw new UnusableProject(problems, sources)
  return { project, problems, sources, displayBase: cwd }
}
