// What GitHub tells a job of the event it runs for.
import { parseJson } from '../core/model/json.ts'
import { isUnread, readBoundedText } from '../files/read-bounded.ts'

/** In MB. */
const largestEvent = 25

/** Undefined: the job tells none, or none that can be read; then its other variables have to do. */
export function eventOfJob({ GITHUB_EVENT_PATH: path }: Readonly<Record<string, string | undefined>>): unknown {
  const text = path === undefined ? undefined : readBoundedText(path, largestEvent)
  return text === undefined || isUnread(text) ? undefined : parseJson(text)
}
