// Keeps one issue, work item or pull request: finds it again and updates it.
import { memoryLine } from './own-text.ts'
import { postSafely, sameText, statusOf } from './post-comment.ts'

export interface Item {
  /** The number that people use: `#7`. Later items have greater numbers. */
  readonly id: number
  readonly title: string
  readonly body: string
  readonly isOpen: boolean
}

interface NewItem extends Pick<Item, 'title' | 'body'> {
  /** As CODEOWNERS names them. The forge may not know them: then nobody is assigned. */
  readonly assignees: readonly string[]
  /** A label for an item that nobody is assigned to; undefined: it needs none. */
  readonly unowned: string | undefined
}

type ItemChange = Partial<Pick<Item, 'title' | 'body' | 'isOpen'>>

/** Items of one sort in one place. Each request rejects with an error that has the `status` of the answer. */
export interface ItemStore {
  /** The name of the forge, for sentences. */
  readonly name: string
  /** `issue`, `work item`, `merge request`. */
  readonly what: string
  /** Shows an id: `org/config#7`. */
  shown(id: number): string
  /** Items that may be svcsync's own, including closed ones. */
  list(): Promise<readonly Item[]>
  /** Sent once: what is repeated without a look would make two. */
  create(item: NewItem): Promise<void>
  /** In one request: its text and its state never disagree. */
  change(id: number, change: ItemChange): Promise<void>
  /** A comment, for those who are notified. */
  say(id: number, sentence: string): Promise<void>
  hintFor(status: number): string | undefined
  /** Characters of a text that are taken; undefined: as many as anybody reads. */
  readonly longest?: number
  readonly close?: () => void
}

/** The requests from one branch into its target branch. */
export interface RequestStore extends ItemStore {
  base(): Promise<string>
}

/** `says`: a comment beside the change; it is not repeated where it fails. */
export type Decision =
  | { readonly act: 'leave'; readonly why: string }
  | { readonly act: 'create'; readonly item: NewItem }
  | { readonly act: 'change'; readonly change: ItemChange; readonly says?: string | undefined }

interface KeepOptions {
  readonly code: string
  isOurs(item: Item): boolean
  /** `item` undefined: there is none. */
  decide(item: Item | undefined): Decision | Promise<Decision>
}

interface KeepResult {
  readonly became: 'created' | 'updated' | 'unchanged' | 'closed' | 'reopened' | 'left'
  readonly item: string | undefined
  readonly why?: string
}

/** Two jobs at the same moment end with one item, the oldest. Rejects with an OperatorError that holds no token. */
export async function keepItem(items: ItemStore, { code, isOurs, decide }: KeepOptions): Promise<KeepResult> {
  let mayBeWritten = false
  const say = (id: number, sentence: string | undefined): Promise<void> | undefined =>
    sentence === undefined ? undefined : items.say(id, sentence).catch(() => undefined)

  const own = async (): Promise<readonly Item[]> => {
    const found = (await items.list()).filter(isOurs)
    // An open item counts first; among closed ones, the newest.
    return found.sort((a, b) => Number(b.isOpen) - Number(a.isOpen) || (a.isOpen ? a.id - b.id : b.id - a.id))
  }
  const closeOthers = async ([first, ...others]: readonly Item[]): Promise<void> => {
    if (first === undefined || !first.isOpen) return
    const says = `Closed: another run of svcsync opened ${items.shown(first.id)} at the same moment.`
    for (const { id, isOpen } of others) {
      if (!isOpen) continue
      await items.change(id, { isOpen: false, body: `${memoryLine({ ended: true })}\n\n${says}\n` })
      await say(id, says)
    }
  }
  const change = async (
    item: Item,
    { change: wanted, says }: Extract<Decision, { act: 'change' }>,
  ): Promise<KeepResult> => {
    const shown = items.shown(item.id)
    const { title = item.title, body = item.body, isOpen = item.isOpen } = wanted
    if (title === item.title && sameText(body, item.body) && isOpen === item.isOpen)
      return { became: 'unchanged', item: shown }
    mayBeWritten = true
    await items.change(item.id, wanted)
    await say(item.id, says)
    const became = isOpen === item.isOpen ? 'updated' : isOpen ? 'reopened' : 'closed'
    return { became, item: shown }
  }

  async function attempt(): Promise<KeepResult> {
    const found = await own()
    const [first] = found
    const act = await decide(first)
    await closeOthers(found)
    if (act.act === 'leave') return { became: 'left', item: first && items.shown(first.id), why: act.why }
    if (act.act === 'change' && first !== undefined) return change(first, act)
    if (act.act !== 'create') return { became: 'left', item: undefined, why: 'there is none' }
    mayBeWritten = true
    await createUnassigned(items, act.item)
    const made = await own()
    await closeOthers(made)
    return { became: 'created', item: made[0] && items.shown(made[0].id) }
  }

  return postSafely(attempt, { ...items, code, mayBeWritten: () => mayBeWritten })
}

export function describeKeepResult(what: string, { became, item, why }: KeepResult): string {
  const words = { created: 'opened', unchanged: 'as it was', left: `left alone: ${why}` }
  const verb = became in words ? words[became as keyof typeof words] : became
  const name = what.charAt(0).toUpperCase() + what.slice(1)
  return item === undefined
    ? `No ${what}: ${(why ?? 'it does not show yet').replace(/\.$/, '')}.`
    : `${name} ${item}: ${verb}.`
}

/** Whom the forge does not know, or who has left, holds up no item. */
async function createUnassigned(items: ItemStore, item: NewItem): Promise<void> {
  try {
    await items.create(item)
  } catch (error) {
    if (item.assignees.length === 0 || ![400, 422].includes(statusOf(error))) throw error
    await items.create({ ...item, assignees: [] })
  }
}
