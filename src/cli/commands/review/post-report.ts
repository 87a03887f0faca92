// Posts the comment of a report to the pull request of the job, whatever service runs it.
import { env } from 'node:process'
import { type checkOf, reportMarker } from '@svcsync/render/report/combined.ts'
import { eventOfJob } from '../../action/inputs.ts'
import { forgeOf, isPosted, type Service } from '../../planning/posting.ts'
import type { Console } from '../../terminal/console.ts'

/** `body` undefined: there is no result. The result stands, whatever becomes of the comment: a failure is a warning. */
export async function postReport(
  to: Service,
  comment: { readonly body: string | undefined; readonly isQuiet: boolean },
  console: Console,
): Promise<void> {
  await isPosted('warning', console, async () => {
    const { postComment } = await import('@svcsync/forge/post-comment.ts')
    const destination = (await forgeOf(to)).comments(env, () => eventOfJob(env))
    try {
      const posted = await postComment(destination, { ...comment, marker: reportMarker })
      console.note(`Comment on ${destination.request}: ${saidOf[posted]}.`)
    } finally {
      destination.close?.()
    }
  })
}

/** False: the check could not be written, which is an error: a required check would be waited for without end. */
export function postVerdict(check: ReturnType<typeof checkOf>, console: Console): Promise<boolean> {
  return isPosted('error', console, async () => {
    const { checkedCommitOf, postCheck } = await import('@svcsync/forge/github.ts')
    const to = checkedCommitOf(env, eventOfJob(env))
    const posted = await postCheck(to, check, env)
    console.note(`Check "${check.name}" on ${to.commit.slice(0, 12)}: ${saidOf[posted]}.`)
  })
}

const saidOf = {
  created: 'made',
  updated: 'updated',
  unchanged: 'as it was',
  'not needed': 'not needed, there is nothing to do',
  outdated: 'left alone',
  marked: 'marked as outdated, because there is a newer commit',
} as const
