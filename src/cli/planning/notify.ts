// Notifies webhooks of the project file that the verdict of a target has changed. A failure is only a line of output.
import { env } from 'node:process'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { allowedBy, isText, Resolver } from '@svcsync/manifests/resolver.ts'
import { isReference, joinParts, parseTemplate } from '@svcsync/manifests/template.ts'
import type { Project } from '@svcsync/project/project.ts'
import type { Console } from '../terminal/console.ts'
import { isPosted } from './posting.ts'

/** Throws an OperatorError for a name that the project file does not have. */
export function refuseUnknownWebhooks({ notify }: Project, names: readonly string[]): void {
  const unknown = names.find((name) => !Object.hasOwn(notify, name))
  if (unknown === undefined) return
  const known = Object.keys(notify)
  throw new OperatorError('SVC2828', `The project file has no \`${unknown}\` below \`notify\``, {
    hint: known.length === 0 ? 'Write `notify: { NAME: { url: "${env:…}" } }` there.' : `It has ${known.join(', ')}.`,
  })
}

export async function notifyAll(
  project: Project,
  names: readonly string[],
  message: (form: Project['notify'][string]['as']) => object,
  { caFile, console }: { readonly caFile: string | undefined; readonly console: Console },
): Promise<void> {
  for (const name of new Set(names)) {
    const webhook = project.notify[name]
    if (webhook === undefined) continue
    await isPosted('warning', console, async () => {
      const { postToWebhook } = await import('@svcsync/forge/webhook.ts')
      const isAllowed = allowedBy(env.SVCSYNC_ALLOW_HOSTS, (host) => host.toLowerCase())
      await postToWebhook(addressOf(project, webhook.url), message(webhook.as), { name, env, caFile, isAllowed })
      console.note(`Notified: ${name}.`)
    })
  }
}

function addressOf({ dir, file, settings }: Project, template: string): string {
  const { readFilesFrom } = settings
  const resolver = new Resolver({ variables: {}, env, projectDir: dir, readFilesFrom })
  const address = joinParts(parseTemplate(template), (part) => {
    const resolved = isReference(part) ? resolver.resolve(part, file) : part
    if (isText(resolved)) return plainText(resolved)
    throw new OperatorError('SVC2827', `Nobody was notified: ${resolved.message}`, { hint: resolved.hint })
  })
  return (address ?? '').trim()
}
