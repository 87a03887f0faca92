// Posts a notification to a webhook, such as that of a chat. The address is a secret, so no message contains it.
import { parseUrl } from '@svcsync/core/model/url.ts'
import { OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { reasonOf } from './post-comment.ts'
import { createRest, type Sleep } from './rest.ts'

interface WebhookOptions {
  /** As the project file calls it. */
  readonly name: string
  readonly env: Env
  readonly caFile?: string | undefined
  readonly isAllowed: (host: string) => boolean
  readonly sleep?: Sleep
}

/** Rejects with an OperatorError. It reads only the status of the answer. */
export async function postToWebhook(address: string, message: object, options: WebhookOptions): Promise<void> {
  const { name, env, caFile, isAllowed, sleep } = options
  const url = parseUrl(address)
  if (url === undefined || url.username !== '' || url.password !== '')
    throw failed(name, 'its address is none', 'Set the whole address, beginning with https://.')
  if (!isAllowed(url.hostname) && !isAllowed(url.host))
    throw failed(name, '`SVCSYNC_ALLOW_HOSTS` does not name its host', 'The owner of the credentials can add it there.')
  const path = `${url.pathname}${url.search}`
  const rest = createRest({ baseUrl: url.origin, headers: {}, token: path, caFile, env, sleep })
  try {
    await rest.request('POST', path, message)
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'unreadable') return
    throw failed(name, reasonOf(error, url.host), 'The result is not affected. Check the webhook.')
  } finally {
    rest.close()
  }
}

function failed(name: string, why: string, hint: string): OperatorError {
  return new OperatorError('SVC2827', `\`${name}\` was not notified: ${why}`, { hint })
}
