// Chooses the parts of a base that a run is compared with, and decides about dropped declarations.

import { asWrittenDirectory, databaseName } from '@svcsync/core/assemble/as-written-directory.ts'
import { assembleDesired } from '@svcsync/core/assemble/assemble-desired.ts'
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { mentionedAccounts } from '@svcsync/core/assemble/mentioned-accounts.ts'
import { selectDeclarations } from '@svcsync/core/assemble/select-declarations.ts'
import { selectionOf } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { BaseIdentity } from '@svcsync/core/plan/plan-document.ts'
import { reasonsToKeep } from '@svcsync/core/plan/prune.ts'
import { byCount, formatCount, inCode, type Problem } from '@svcsync/errors/index.ts'
import { type BaseDeclarations, joinedAsWritten } from '@svcsync/live/observe-base.ts'
import { type Base, refuseBase } from '../open/open-base.ts'
import type { OpenedProject } from '../open/open-project.ts'

export function identityOfBase({ ref, commit, from, at, begun }: Base): BaseIdentity {
  const sides = begun?.map(({ read: _, ...side }) => side)
  return { ref, commit, from, ...(at !== undefined && { at }), ...(sides && { begun: sides }) }
}

/** They make the old declarations unknown. Problems of time or databases did not exist then. */
const contradictions = ['SVC1301', 'SVC1307', 'SVC1308', 'SVC1311']

/** With the databases of the target as they are now. Throws where they contradict each other. */
export function baseDeclarations(base: Base, opened: OpenedProject, only: readonly string[]): BaseDeclarations {
  const { kinds, target } = opened.project
  const { databases } = target
  const { normalise, time } = opened.assembly
  const directory = asWrittenDirectory(databases, kinds)
  const select = (declarations: readonly Declaration[], globs: readonly string[]) =>
    selectDeclarations(declarations, globs, ({ database }) => databaseName(databases, database))
  const written = (
    { read, at, asOfMs, ...side }: Pick<Base, 'ref' | 'commit' | 'read' | 'at' | 'asOfMs'>,
    globs: readonly string[],
  ) => {
    const { assembly: own } = read
    const declarations = select(select(read.declarations, only), globs)
    const appliedMs = at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(at)
    const { timeZone } = own.time
    const timeThen = asOfMs === undefined ? { ...time, timeZone, appliedMs } : { nowMs: asOfMs, timeZone }
    const assembly = { ...own, normalise, time: timeThen }
    const { desired: asWritten, problems } = assembleDesired(declarations, directory, assembly)
    refuseBase(
      side,
      problems.filter(({ code }) => contradictions.includes(code)),
    )
    return { declarations, assembly, asWritten }
  }
  const own = written(base, [])
  const begun = (base.begun ?? []).map((side) => {
    const { commit, only: globs, undo } = side
    return {
      commit,
      undo,
      isSelected: selectionOf(globs, kinds),
      ...written({ ref: commit ?? '', ...side }, globs),
    }
  })
  const rules = rulesOf(opened, base.from)
  const known = { ...own, begun, rules }
  return { ...known, joined: joinedAsWritten(opened.desired, known) }
}

function rulesOf(
  { project, declarations, outside, assembly }: OpenedProject,
  from: BaseIdentity['from'],
): BaseDeclarations['rules'] {
  const { entries, values, objects } = project.removed
  if (objects === 'keep') return { entries, values }
  const { normalise, sets } = assembly
  const judge = reasonsToKeep({
    mentions: mentionedAccounts([...declarations, ...outside], sets, normalise),
    isExternal: externalAccounts(project.externalAccounts, normalise),
    protect: project.protect,
    normalise,
    kinds: project.kinds,
  })
  const deletionOf = ({ address, key, at }: Desired) => {
    const kept = from === 'ledger' ? judge(address, at.name ?? key) : withoutLedger
    return kept === undefined ? {} : { kept }
  }
  return { entries, values, deletionOf }
}

const withoutLedger = 'only a ledger knows that svcsync declared it'

/** Objects that a ledger would delete, and that stay without one. */
export function keptWithoutLedger({ base, noLongerDeclared = [] }: Pick<Plan, 'base' | 'noLongerDeclared'>): Problem[] {
  if (base === undefined || base.from === 'ledger') return []
  const kept = noLongerDeclared.filter(({ reason }) => reason === withoutLedger)
  const [first] = kept
  if (first === undefined) return []
  const count = byCount(kept.length, `${inCode(first.address)} is`, `${formatCount(kept.length, 'object')} are`)
  return [
    {
      code: 'SVC2221',
      severity: 'warning',
      message: `${count} no longer declared, but \`removed: { objects: delete }\` needs a ledger`,
      hint:
        'Write `ledger: { remote: origin }` into the project file, ' +
        'and plan without `--since`; or write `absent: true`.',
    },
  ]
}

/** Not what only the base knows: rules are about what is declared. */
export function isDeclared({ since }: Desired): boolean {
  return since?.standing !== 'gone'
}
