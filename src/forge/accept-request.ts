// Keeps one pull request that accepts drift: updates it, and closes it when it is empty.
import type { Decision, Item } from './keep-item.ts'
import { markerOf, memoryIn, replaceOwnPart, type Selection, selectionIn, uncoveredScope } from './own-text.ts'

interface Accepted {
  readonly target: string
  /** The digest of everything accepted; undefined: nothing is. */
  readonly digest: string | undefined
  readonly selection: Selection
  /** Everything selected was read. */
  readonly isComplete: boolean
  /** Why there is nothing to accept: a sentence. */
  readonly nothing: string
  /** Markdown; its first line is the verdict. */
  render(maxLength: number): string
  /** The longest text, for forges with a low limit. */
  readonly longest: number | undefined
}

export const acceptBranch = (target: string): string => `svcsync/accept/${target.replace(/[^\w.-]/g, '-')}`

const titleOf = (target: string): string => `Accept the drift of ${target}`

/** True if a request from the branch is still maintained. */
export function isOpenRequest(target: string): (item: Item) => boolean {
  return ({ body }) => memoryIn(body, markerOf('accept', target))?.ended !== true
}

export function decideRequest(accepted: Accepted): (item: Item | undefined) => Decision {
  const { target, digest, selection, render, longest } = accepted
  const marker = markerOf('accept', target)
  const title = titleOf(target)
  return (item) => {
    const memory = memoryIn(item?.body ?? '', marker) ?? {}
    const open = item?.isOpen ? item : undefined
    const why = open && uncoveredScope(selection, selectionIn(memory))
    if (why !== undefined) return { act: 'leave', why }
    if (digest === undefined) return nothingToAccept(open, accepted, marker)
    const kept = { digest, ...selection }
    const body = replaceOwnPart(open?.body ?? '', marker, kept, { render, most: longest })
    if (open !== undefined) return { act: 'change', change: { title, body } }
    if (item !== undefined && memory.digest === digest)
      return { act: 'leave', why: 'somebody closed it, and what it would accept is the same' }
    return { act: 'create', item: { title, body, assignees: [], unowned: undefined } }
  }
}

function nothingToAccept(open: Item | undefined, { isComplete, nothing, longest }: Accepted, marker: string): Decision {
  if (open === undefined) return { act: 'leave', why: nothing }
  if (!isComplete) return { act: 'leave', why: 'not everything could be read' }
  const body = replaceOwnPart(open.body, marker, { ended: true }, { render: () => nothing, most: longest })
  return { act: 'change', change: { body, isOpen: false }, says: nothing }
}
