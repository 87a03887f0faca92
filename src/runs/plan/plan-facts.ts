// The facts of manifests and lists that a resumed plan does not read again.

import { posix, resolve } from 'node:path'
import { takesAway } from '@svcsync/core/guards/judge-guards.ts'
import { listedIn } from '@svcsync/core/guards/removals.ts'
import { type Declaration, identityOf } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { accountKeys, subjectKey } from '@svcsync/core/model/elements.ts'
import { sensitivesIn, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { PlanFacts } from '@svcsync/core/plan/plan-digest.ts'
import type { preconditionsOf } from '@svcsync/core/plan/precondition.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { variablesIn } from '@svcsync/manifests/resolve-template.ts'
import type { ReadProject } from '../open/open-project.ts'
import { isDeclared } from './base-declarations.ts'

type PlannedProject = Pick<ReadProject, 'project' | 'displayBase' | 'declarations' | 'assembly' | 'policies'>

export function planFacts(
  opened: PlannedProject,
  { changes }: Pick<Plan, 'changes'>,
  { objects, accounts, behind }: ReturnType<typeof preconditionsOf>,
): Omit<PlanFacts, 'later'> {
  const written = new Set(objects.map(({ address }) => address))
  return {
    ...{ svcIds: opened.project.target.svcIds, accounts, behind },
    listed: changes.some(takesAway) ? Object.fromEntries([...listedIn(changes)].sort(byName)) : {},
    declaredAs: declaredAs(opened, changes),
    references: referenceFacts(
      changes.flatMap(({ desired }) => (desired && written.has(desired.address) && isDeclared(desired) ? desired : [])),
      opened.project.target.variables,
      (declaration) => fileInProject(declaration, opened),
    ),
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** Policies ask of an account whether it is declared, and few declarations travel with a plan. */
function declaredAs(
  { policies = [], declarations, assembly }: PlannedProject,
  changes: Plan['changes'],
): PlanFacts['declaredAs'] {
  if (policies.length === 0) return {}
  const listed = new Set<string>()
  for (const { action, live, desired } of changes) {
    if (action === 'none') continue
    for (const elements of Object.values(live?.collections ?? {}))
      for (const account of accountKeys(elements)) listed.add(account)
    for (const { elements } of Object.values(desired?.collections ?? {}))
      for (const { element } of elements.values()) listed.add(subjectKey(element))
  }
  const known = declarations.flatMap((declaration): [string, 'user' | 'group'][] => {
    const { kind, section } = declaration
    const svcId = assembly.normalise(identityOf(declaration))
    return kind.provides !== undefined && !section.partial && listed.has(svcId) ? [[svcId, kind.provides]] : []
  })
  return Object.fromEntries(known.sort(byName))
}

/** The file of a declaration from the folder of the project: what `${file:…}` is relative to, on any machine. */
export function fileInProject(
  { source }: Declaration,
  { project, displayBase }: Pick<PlannedProject, 'project' | 'displayBase'>,
): string {
  return relativePath(project.dir, resolve(displayBase, source.file))
}

/** The place of a file, and the text of a variable, determine the request as much as the reference itself. */
export function referenceFacts(
  desired: readonly Pick<Desired, 'address' | 'declarations'>[],
  variables: Readonly<Record<string, Text>>,
  fileOf: (declaration: Declaration) => string,
): PlanFacts['references'] {
  const found = new Map<string, PlanFacts['references'][number]>()
  const written = desired.flatMap(({ address, declarations }) =>
    declarations.map((each) => ({ address, declaration: each })),
  )
  for (const { address, declaration } of written) {
    for (const { template } of sensitivesIn(declaration.item)) {
      const names = variablesIn(template)
      const namesFile = template.includes('${file:')
      if (names.length === 0 && !namesFile) continue
      const fact = {
        address,
        template,
        ...(namesFile && { folder: posix.dirname(fileOf(declaration)) }),
        ...(names.length > 0 && {
          variables: Object.fromEntries(names.sort().map((name) => [name, String(variables[name] ?? '')])),
        }),
      }
      found.set(JSON.stringify(fact), fact)
    }
  }
  return [...found].sort(byName).map(([, fact]) => fact)
}
