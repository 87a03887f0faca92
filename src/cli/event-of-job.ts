// What GitHub tells a job of the event it runs for.
import { isUnread, readBoundedText } from '../files/read-bounded.ts'

/** In MB. */
const largestEvent = 25

/** Undefined: the job tells none, or none that can be read; then its other variables have to do. */
export function eventOfJob({ GITHUB_EVENT_PATH: path }: Readonly<Record<string, string | undefined>>): unknown {
  const text = path === undefined ? undefined : readBoundedText(path, largestEvent)
  if (text === undefined || isUnread(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
