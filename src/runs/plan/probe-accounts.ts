// Looks for accounts that are given something without being declared: a user or group on the platform, or nobody known.
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { undeclaredAccounts, unknownAccounts } from '@svcsync/core/compare/unknown-accounts.ts'
import { objectAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { type Declaration, identityOf } from '@svcsync/core/model/declaration.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { PlatformError, type Problem } from '@svcsync/errors/index.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import { isUnaskable } from '@svcsync/live/read-object.ts'
import type { OpenedProject } from '../open/open-project.ts'

/** Up to this many, each is looked for by itself; above, the lists are fewer requests. */
const fewAccounts = 20

/** Whom neither a manifest, nor `accounts.external`, nor the platform knows. */
export async function findUnknownAccounts(
  port: PlatformPort,
  { changes }: Pick<Plan, 'changes'>,
  { live, reads }: Pick<Observation, 'live' | 'reads'>,
  opened: OpenedProject,
  { kinds, only }: { readonly kinds: readonly Kind[]; readonly only: readonly string[] },
): Promise<readonly Problem[]> {
  const { project, assembly } = opened
  const { selected, unselected } = declaredAccounts(opened, only, kinds)
  const matches = externalAccounts(project.externalAccounts, assembly.normalise)
  const isExternal = (account: string) => matches(account) && !unselected.has(account)
  const known = new Set([...live.accounts, ...selected])
  const wanted = undeclaredAccounts(changes, known, isExternal)
  const { pageSize } = project.settings
  const found = await probeAccounts(port, wanted, kinds, reads, pageSize)
  return unknownAccounts(changes, { accounts: new Set([...known, ...found]), unselected, isExternal })
}

/** Keys of accounts that are declared, by whether the run looks at them. */
function declaredAccounts({ declarations, assembly }: OpenedProject, only: readonly string[], kinds: readonly Kind[]) {
  const isSelected = selectionOf(only, kinds)
  const selected: string[] = []
  const unselected = new Map<string, Declaration>()
  for (const declaration of declarations) {
    const { kind, section } = declaration
    if (kind.provides === undefined || section.partial) continue
    const name = identityOf(declaration)
    const key = assembly.normalise(name)
    if (isSelected(objectAddress(kind, name))) selected.push(key)
    else unselected.set(key, declaration)
  }
  return { selected, unselected }
}

const none: ReadonlyMap<string, unknown> = new Map()

/** Where the application may not look, the accounts stay unknown, which is a warning and no more. */
async function probeAccounts(
  port: PlatformPort,
  wanted: ReturnType<typeof undeclaredAccounts>,
  kinds: readonly Kind[],
  { lists, accounts }: Observation['reads'],
  pageSize: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (wanted.length === 0) return found
  const inKind = async (kind: Kind): Promise<void> => {
    await port.authorise(kind.scopes.read)
    const list = kind.requests.list?.({})
    const isMany = wanted.length > fewAccounts
    if (list !== undefined && (isMany || lists.isBegun(list))) {
      const listed = lists.read(port, kind, {}, list, { pageSize })
      // Where a list fails that was read for something else, they may be read one by one all the same.
      for (const key of (await (isMany ? listed : listed.catch(() => none))).keys()) found.add(key)
      if (isMany) return
    }
    await Promise.all(
      wanted.map(async ({ svcId, key }) => {
        if (!found.has(key) && (await accounts(port, kind, svcId)) !== undefined) found.add(key)
      }),
    )
  }
  const accountKinds = kinds.filter(({ provides }) => provides !== undefined)
  await Promise.all(
    accountKinds.map((kind) =>
      inKind(kind).catch((error: unknown) => {
        // Nothing rests on this look: what is refused, fails or cannot be asked stays unknown.
        if (isUnaskable(error)) return
        if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error
      }),
    ),
  )
  return found
}
