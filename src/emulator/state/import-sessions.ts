// Imports of packages: what arrived of each, and what became of it. The form of packages is our choice: a first line of JSON that
// says what the package brings, and anything behind it.
import { isJsonObject, type JsonObject, parseJson } from '../../core/model/json.ts'
import * as s from '../shape/shape.ts'

/** Source: facts, import status numbers. */
export const importStatus = {
  error: 0,
  completed: 1,
  completedWithError: 2,
  missing: 3,
  created: 4,
  inProgress: 5,
} as const

const packageShape = s.record({
  /** What is done to the installation; `with`: only where the configuration says so. */
  brings: s.listOf(s.record({ with: s.optional(s.filledText), edit: s.anything })),
  /** Told as it is, before what is done. */
  logs: s.optional(s.text),
})

/** The first line of a package is no longer than this. */
const headBytes = 4 * 1024 * 1024

export interface ImportSession {
  readonly id: string
  readonly dbId: number
  readonly chunkSize: number
  readonly totalSize: number
  next: number
  head: Buffer
  configuration: JsonObject | undefined
  dueMs: number
  status: number
  logs: string
}

export function chunksOf({ totalSize, chunkSize }: ImportSession): number {
  return Math.ceil(totalSize / chunkSize)
}

/** Takes the chunk that comes next. */
export function takeChunk(session: ImportSession, bytes: Buffer): void {
  session.next += 1
  const room = headBytes - session.head.length
  if (room > 0) session.head = Buffer.concat([session.head, bytes.subarray(0, room)])
}

/** Does what the package says: `edit` throws where it cannot be done. */
export function finish(session: ImportSession, edit: (what: unknown) => void): void {
  const content = contentOf(session.head)
  if (typeof content === 'string') {
    session.status = importStatus.error
    session.logs += `ERROR The file is no package: ${content}.\n`
    return
  }
  session.logs += content.logs ?? ''
  session.status = importStatus.completed
  for (const [at, { with: field, edit: what }] of content.brings.entries()) {
    const name = `${at + 1} of ${content.brings.length}${isJsonObject(what) ? ` (${Object.keys(what).join()})` : ''}`
    if (field !== undefined && session.configuration?.[field] !== true) {
      session.logs += `INFO ${name}: left out, since ${field} is not set\n`
      continue
    }
    try {
      edit(what)
      session.logs += `INFO ${name}: done\n`
    } catch (error) {
      session.status = importStatus.completedWithError
      session.logs += `ERROR ${name}: ${error instanceof Error ? error.message : 'failed'}\n`
    }
  }
}

/** Or why it is none. */
function contentOf(head: Buffer): s.TypeOf<typeof packageShape> | string {
  const end = head.indexOf(10)
  const value: unknown = parseJson(head.subarray(0, end < 0 ? head.length : end).toString('utf8'))
  if (value === undefined) return 'its first line is not JSON'
  const [failure] = s.failuresOf(packageShape, value)
  return failure === undefined
    ? (value as s.TypeOf<typeof packageShape>)
    : `${s.showPath(failure.path)} ${failure.message}`
}
