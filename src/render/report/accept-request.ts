// The pull request by which drift is accepted: who keeps which access by it, and what is left.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Block, head, name, note, type Row, section, table } from '../blocks/block.ts'
import { heldBlocks } from '../plan/access-blocks.ts'
import { describeTarget } from '../plan/target.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { formatCount } from '../text/counts.ts'

interface DriftedObject {
  readonly address: string
  readonly what: string
}

interface AcceptedDrift {
  /** Plans without and with what is accepted. */
  readonly before: PlanDocument
  readonly after: PlanDocument
  readonly taken: readonly DriftedObject[]
  readonly refused: readonly (DriftedObject & { readonly why: string })[]
  readonly pending: number
}

export function renderAcceptRequest(accepted: AcceptedDrift, form: Pick<MarkdownForm, 'maxLength' | 'link'>): string {
  return printMarkdown(blocksOf(accepted), form)
}

function blocksOf(accepted: AcceptedDrift): Block[] {
  const { before, taken, refused, pending } = accepted
  const { target, tool } = before
  const { kept, missing } = movedAccess(accepted)
  const left = refused.map(({ address, what, why }): Row => ({ cells: [[name(address)], [`${what}: ${why}`]] }))
  const lead =
    'The merge changes the manifests and nothing on the platform: the next plan has none of these differences. ' +
    'Close the request to leave them as drift.'
  return [
    head('Accept the drift of', target.name, describeTarget(target), {
      ...{ tool: `svcsync ${tool.version}`, severity: kept.length > 0 ? 'danger' : 'notice' },
      sentence: formatAcceptedCounts(accepted),
    }),
    note(lead),
    ...section('Accounts that keep undeclared access', 'remove', heldBlocks(kept)),
    ...section('Accounts that lose declared access', 'remove', heldBlocks(missing)),
    ...section('Changes to the manifests', 'change', table(taken.map(rowOf), { title: 'Differences' })),
    ...section('Not accepted', 'warning', table(left, { weight: 'loss' })),
    ...(pending === 0
      ? []
      : [note(`Left to the next apply: ${formatCount(pending, 'difference')} that the manifests brought about.`)]),
  ]
}

const rowOf = ({ address, what }: DriftedObject): Row => ({ cells: [[name(address)], [what]] })

export function formatAcceptedCounts(accepted: AcceptedDrift): string {
  const { kept, missing } = movedAccess(accepted)
  const isAdministrator = ({ level, kind }: AccessEntry): boolean => level === 'Administrator' && kind !== 'owner'
  const administrators = peopleIn(kept.filter(isAdministrator))
  const others = peopleIn(kept).filter((svcId) => !administrators.includes(svcId))
  const parts = [
    formatChangedCount(administrators.length, 'stays Administrator', 'stay Administrators'),
    formatChangedCount(others.length, 'keeps undeclared access', 'keep undeclared access'),
    formatChangedCount(peopleIn(missing).length, 'goes without declared access', 'go without declared access'),
    `${formatCount(accepted.taken.length, 'difference')} written into the manifests`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

const formatChangedCount = (count: number, one: string, several: string): string =>
  count === 0 ? '' : `${formatCount(count, 'account')} ${count === 1 ? one : several}`

const peopleIn = (entries: readonly AccessEntry[]): string[] => [
  ...new Set(entries.map(({ subject }) => String(subject))),
]

/** Access that healing would change, and the plan after the merge does not. */
function movedAccess({ before, after }: AcceptedDrift) {
  const missingIn = (event: 'lost' | 'gained'): readonly AccessEntry[] => {
    const left = new Set((after.access?.[event] ?? []).map(keyOf))
    return (before.access?.[event] ?? []).filter((entry) => !left.has(keyOf(entry)))
  }
  return { kept: missingIn('lost'), missing: missingIn('gained') }
}

const keyOf = ({ subject, level, address, company, kind }: AccessEntry): string =>
  JSON.stringify([subject, level, address, company, kind])
