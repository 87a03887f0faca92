// Looks for accounts that are given something without being declared: a user or group on the platform, or nobody known.
import { externalAccounts } from '../../core/assemble/external-accounts.ts'
import type { Change } from '../../core/compare/change.ts'
import { undeclaredAccounts, unknownAccounts } from '../../core/compare/unknown-accounts.ts'
import { selectionOf } from '../../core/model/address.ts'
import { type Declaration, identityOf } from '../../core/model/declaration.ts'
import type { Kind } from '../../core/model/kind.ts'
import type { LiveSnapshot } from '../../core/model/live.ts'
import type { PlatformPort } from '../../core/model/platform-port.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { PlatformError, type Problem } from '../../errors/index.ts'
import { readList } from '../../live/read-list.ts'
import { isUnaskable, readObject } from '../../live/read-object.ts'
import type { OpenedProject } from '../open/open-project.ts'

/** Up to this many, each is looked for by itself; above, the lists are fewer requests. */
const fewAccounts = 20

/**
 * Warns of accounts that are given something and that nobody knows: neither a manifest, nor the project file
 * (`accounts.external`), nor the platform.
 */
export async function findUnknownAccounts(
  port: PlatformPort,
  { changes }: Pick<Plan, 'changes'>,
  live: LiveSnapshot,
  opened: OpenedProject,
  { kinds, only }: { readonly kinds: readonly Kind[]; readonly only: readonly string[] },
): Promise<readonly Problem[]> {
  const { project, assembly } = opened
  const declared = declaredAccounts(opened, only)
  const { unselected } = declared
  const matches = externalAccounts(project.externalAccounts, assembly.normalise)
  const isExternal = (account: string) => matches(account) && !unselected.has(account)
  const known = new Set([...live.accounts, ...declared.selected])
  const { pageSize } = project.settings
  const accounts = await probeAccounts(port, changes, known, kinds, pageSize, isExternal)
  return unknownAccounts(changes, { accounts, unselected, isExternal })
}

/** Keys of accounts that are declared, by whether the run looks at them. */
function declaredAccounts({ declarations, assembly }: OpenedProject, only: readonly string[]) {
  const isSelected = selectionOf(only)
  const selected: string[] = []
  const unselected = new Map<string, Declaration>()
  for (const declaration of declarations) {
    const { kind, section } = declaration
    if (kind.provides === undefined || section.partial) continue
    const name = identityOf(declaration)
    const key = assembly.normalise(name)
    if (isSelected(`${kind.segment}/${name}`)) selected.push(key)
    else unselected.set(key, declaration)
  }
  return { selected, unselected }
}

/**
 * Keys of accounts that exist: those that are known already, and those found now. Where the application may not look, it
 * goes without: the accounts then stay unknown, which is a warning and no more.
 */
async function probeAccounts(
  port: PlatformPort,
  changes: readonly Change[],
  known: ReadonlySet<string>,
  kinds: readonly Kind[],
  pageSize: number,
  isExternal: (account: string) => boolean,
): Promise<ReadonlySet<string>> {
  const wanted = undeclaredAccounts(changes, known, isExternal)
  if (wanted.length === 0) return known
  const found = new Set(known)
  await Promise.all(
    kinds
      .filter(({ provides }) => provides !== undefined)
      .map(async (kind) => {
        try {
          await port.authorise(kind.scopes.read)
          const list = kind.requests.list?.({})
          if (list !== undefined && wanted.length > fewAccounts) {
            for (const svcId of (await readList(port, kind, {}, list, { pageSize })).keys()) found.add(svcId)
            return
          }
          await Promise.all(
            wanted.map(async ({ svcId, key }) => {
              if ((await readObject(port, kind, svcId, { self: svcId })) !== undefined) found.add(key)
            }),
          )
        } catch (error) {
          // Nothing rests on this look: what is refused, fails or cannot be asked stays unknown.
          if (isUnaskable(error)) return
          if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error
        }
      }),
  )
  return found
}
