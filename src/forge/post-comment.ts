// Keeps one comment on a pull request of any forge: finds it by its marker and updates it.
import { byCount, OperatorError } from '@svcsync/errors/index.ts'

interface Comment {
  /** Later comments have greater ids. */
  readonly id: number
  readonly body: string
}

/** The destination of a post. Each request rejects with an error that has the `status` of the answer, if known. */
export interface CommentStore {
  /** The name of the forge, for sentences. */
  readonly name: string
  /** The last commit of the pull request; undefined: it does not tell. */
  head(): Promise<string | undefined>
  list(): Promise<readonly Comment[]>
  /** Sent once: what is repeated without a look would make two. */
  create(body: string): Promise<void>
  update(id: number, body: string): Promise<void>
  remove(id: number): Promise<void>
  hintFor(status: number): string | undefined
  /** `org/config#7`. */
  readonly request: string
  /** The commit that the job is about; undefined: nobody knows. */
  readonly commit: string | undefined
  readonly close?: () => void
}

interface CommentRequest {
  /** The first line of the comment. */
  readonly marker: string
  /** Undefined: there is no result, and a comment of an earlier commit is marked as one. */
  readonly body: string | undefined
  /** Without changes, it updates an existing comment, but creates none. */
  readonly isQuiet: boolean
}

/** `outdated`: a comment of a newer commit stands; `marked`: this older one says so now. */
type PostOutcome = 'created' | 'updated' | 'unchanged' | 'not needed' | 'outdated' | 'marked'

const mostAttempts = 3

/** Two jobs at the same moment end with one comment, the oldest. Rejects with an OperatorError that holds no token. */
export async function postComment(forge: CommentStore, request: CommentRequest): Promise<PostOutcome> {
  const { commit } = forge
  const { marker, isQuiet } = request
  const body = request.body === undefined || commit === undefined ? request.body : withCommit(request.body, commit)
  // Comments with the marker that this job may not change: somebody else has made them.
  const foreign = new Set<number>()
  let mayBeWritten = false

  const own = async (): Promise<readonly Comment[]> => {
    const found = (await forge.list()).filter((each) => each.body.startsWith(marker) && !foreign.has(each.id))
    return found.sort((a, b) => a.id - b.id)
  }
  const remove = async (extra: readonly Comment[]): Promise<void> => {
    for (const { id } of extra) await forge.remove(id).catch(ignoreForeign)
  }
  /** False: it is gone, or not ours. */
  const update = async (comment: Comment, text: string): Promise<boolean> => {
    mayBeWritten = true
    if (await forge.update(comment.id, text).then(() => true, ignoreForeign)) return true
    foreign.add(comment.id)
    return false
  }

  /** Undefined: there is none. */
  async function settle(text: string): Promise<PostOutcome | undefined> {
    const found = await own()
    for (const [index, comment] of found.entries()) {
      const isSame = sameText(comment.body, text)
      if (!isSame && !(await update(comment, text))) continue
      await remove(found.slice(index + 1))
      return isSame ? 'unchanged' : 'updated'
    }
    return isQuiet ? 'not needed' : undefined
  }

  /** Readers of a comment about an older commit must know that it is one. */
  async function markOlder(newest: string | undefined): Promise<PostOutcome> {
    const [comment] = await own()
    const of = comment === undefined ? undefined : commitOf(comment.body)
    const isOlder = newest !== undefined && of !== undefined && of !== newest
    if (comment === undefined || !isOlder || comment.body.includes(outdated)) return 'outdated'
    return (await update(comment, markOutdated(comment.body))) ? 'marked' : 'outdated'
  }

  async function attempt(): Promise<PostOutcome> {
    const head = commit === undefined ? undefined : await forge.head()
    if (body === undefined) return markOlder(head ?? commit)
    if (head !== undefined && head !== commit) return markOlder(head)
    const settled = await settle(body)
    if (settled !== undefined) return settled
    mayBeWritten = true
    await forge.create(body)
    const [first, ...extra] = await own()
    await remove(extra)
    if (first !== undefined && !sameText(first.body, body)) await update(first, body)
    return 'created'
  }

  return postSafely(attempt, { ...forge, what: 'comment', code: 'SVC2185', mayBeWritten: () => mayBeWritten })
}

interface PostTarget extends Pick<CommentStore, 'name' | 'hintFor'> {
  /** `comment`, `issue`. */
  readonly what: string
  readonly code: string
  /** True if a lost answer could hide a write. */
  mayBeWritten(): boolean
}

/** Rejects with an OperatorError. After a lost answer, it looks again whether the item is there. */
export async function postSafely<T>(attempt: () => Promise<T>, to: PostTarget): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof OperatorError) throw error
      if (to.mayBeWritten() && count < mostAttempts && mayHaveEffect(error)) continue
      throw new OperatorError(to.code, `The ${to.what} could not be posted: ${reasonOf(error, to.name)}`, {
        hint: to.hintFor(statusOf(error)) ?? 'The result is not affected. Run the job again.',
      })
    }
  }
}

const outdated = '> **Outdated:**'

function markOutdated(body: string): string {
  const of = commitOf(body) ?? ''
  const lines = body.replaceAll('\r\n', '\n').split('\n')
  // Behind the lines that nobody sees.
  const at = lines.findIndex((line) => !line.startsWith('<!--'))
  const says = `${outdated} this is about the commit \`${of.slice(0, 12)}\`, and a newer one is there.`
  return [...lines.slice(0, at), '', says, ...lines.slice(at)].join('\n')
}

const commitLine = /^<!-- svcsync:commit:(\w+) -->$/m

function withCommit(body: string, commit: string): string {
  const [marker = '', ...rest] = body.split('\n')
  const safe = commit.replace(/[^\w]/g, '')
  return [marker, `<!-- svcsync:commit:${safe} -->`, ...rest].join('\n')
}

function commitOf(body: string): string | undefined {
  return commitLine.exec(body.replaceAll('\r\n', '\n'))?.[1]
}

/** Forges give other line breaks back, and none at the end. */
export function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()
  return plain(a) === plain(b)
}

/** 0: there was no answer. */
export function statusOf(error: unknown): number {
  const { status } = error as { readonly status?: unknown }
  return typeof status === 'number' ? status : 0
}

function mayHaveEffect(error: unknown): boolean {
  const status = statusOf(error)
  return status === 0 || status === 409 || status >= 500
}

/** A missing or foreign comment need not be deleted, and cannot be changed. */
function ignoreForeign(error: unknown): false {
  if ([403, 404, 410].includes(statusOf(error))) return false
  throw error
}

/** Not the error itself: it may hold the request, and so the token. */
export function reasonOf(error: unknown, forge: string): string {
  const { message = '' } = error as { readonly message?: string }
  const firstLine = message.split('\n')[0]?.slice(0, 200) ?? ''
  const status = statusOf(error)
  return status === 0 ? firstLine : `${forge} answered ${status}${firstLine === '' ? '' : `: ${firstLine}`}`
}

/** Throws an OperatorError that names what is missing. `to`: where svcsync would have written. */
export function requireAll(missing: readonly string[], hint: string, to = 'pull request to post to'): void {
  if (missing.length === 0) return
  const are = byCount(missing.length, 'is', 'are')
  throw new OperatorError('SVC2186', `There is no ${to}: ${missing.join(', ')} ${are} missing`, { hint })
}
