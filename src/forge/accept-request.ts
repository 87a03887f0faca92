// Keeps one pull request that accepts drift: updates it, and closes it when it is empty.
import type { Act, Item } from './keep-item.ts'
import { covers, markerOf, memoryIn, type Selection, saySelection, selectionIn, withOwnPart } from './own-text.ts'

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
export function isKept(target: string): (item: Item) => boolean {
  return ({ body }) => memoryIn(body, markerOf('accept', target))?.ended !== true
}

export function decideRequest(accepted: Accepted): (item: Item | undefined) => Act {
  const { target, digest, selection, isComplete, render, longest } = accepted
  const marker = markerOf('accept', target)
  const title = titleOf(target)
  return (item) => {
    const memory = memoryIn(item?.body ?? '', marker) ?? {}
    const about = selectionIn(memory)
    if (item?.isOpen && !covers(selection, about)) {
      const why = `it is about ${saySelection(about)}, and this run read ${saySelection(selection)}`
      return { act: 'leave', why }
    }
    if (digest === undefined) {
      if (!item?.isOpen) return { act: 'leave', why: accepted.nothing }
      if (!isComplete) return { act: 'leave', why: 'not everything could be read' }
      const body = withOwnPart(item.body, marker, { ended: true }, { render: () => accepted.nothing, most: longest })
      return { act: 'change', change: { body, isOpen: false }, says: accepted.nothing }
    }
    const kept = { digest, ...selection }
    const body = withOwnPart(item?.isOpen ? item.body : '', marker, kept, { render, most: longest })
    if (item?.isOpen) return { act: 'change', change: { title, body } }
    if (item !== undefined && memory.digest === digest)
      return { act: 'leave', why: 'somebody closed it, and what it would accept is the same' }
    return { act: 'create', item: { title, body, assignees: [], unowned: undefined } }
  }
}
