// How far an import is, and what its log says. Source: facts, import status numbers.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/index.ts'
import { type createNews, readLog } from './read-log.ts'

const statuses = ['failed', 'completed', 'completed-with-errors', 'missing', 'created', 'in-progress'] as const
type Status = (typeof statuses)[number]

type News = ReturnType<typeof createNews>

export async function statusOf(client: PlatformClient, at: string, news: News): Promise<Status> {
  const path = `${at}/status`
  const { json, text } = await readLog(client, path, news.begin)
  // A log that nobody quoted makes no JSON of the answer; the number before it counts all the same.
  const broken = /^\s*\{\s*"status"\s*:\s*(\d+)\s*,\s*"logs"\s*:\s*"?/.exec(text)
  const { status, logs } = isJsonObject(json)
    ? json
    : { status: Number(broken?.[1]), logs: text.slice(broken?.[0].length) }
  const word = typeof status === 'number' ? statuses[status] : undefined
  if (word === undefined)
    throw unreadable('GET', path, 'has no status that svcsync knows', 'Check `wireNames` of the target.')
  news.more(textOf(logs))
  news.end()
  return word
}

/** They are for people: whatever came is shown. */
export async function logsOf(client: PlatformClient, at: string, news: News): Promise<void> {
  try {
    const { json, text } = await readLog(client, `${at}/logs`, news.begin)
    news.more(textOf(json === undefined ? text.replace(/^\s*"/, '') : json))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    news.more(`(the log cannot be read: ${error.message})`)
  }
  news.end()
}

function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

export function unreadable(method: 'GET' | 'POST', path: string, why: string, hint: string): PlatformError {
  return new PlatformError(
    'SVC3096',
    `The answer to ${method} ${path} ${why}`,
    { kind: 'unreadable', method, path },
    { hint },
  )
}
