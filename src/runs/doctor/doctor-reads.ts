// The reads of a doctor: few of each sort, enough to tell whether answers can be had and understood.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { isMisread, type Kind, type ListRequest, type LivePart, type Location } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { checkSvcIdCase } from '@svcsync/doctor/check-installation.ts'
import { firstPageOf } from '@svcsync/doctor/check-pages.ts'
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'
import { itemsOf } from '@svcsync/live/list-items.ts'
import { readItem } from '@svcsync/live/read-list.ts'
import { parseWhole } from '@svcsync/live/read-object.ts'
import { isAboutPage } from '@svcsync/live/read-pages.ts'

const fewObjects = 3

/** Two pages at once, and the third where the platform seems to count from 1. */
export async function readFirstPages(
  port: PlatformPort,
  kind: Kind,
  list: ListRequest,
  size: number,
): Promise<{ readonly pages: Parameters<typeof firstPageOf>[0]; readonly items: readonly JsonObject[] }> {
  const [zero, one] = await Promise.all([0, 1].map((page) => readPage(port, list, { page, size })))
  if (zero instanceof PlatformError && one instanceof PlatformError) {
    if (list.mayBeMissing && zero.code === failureCodes.notFound)
      return { pages: { what: kind.title, size, pages: [[], []] }, items: [] }
    throw zero
  }
  const first = [idsOf(zero), idsOf(one)] as const
  const seen: Parameters<typeof firstPageOf>[0] = {
    what: kind.title,
    size,
    pages: [first[0], first[1]],
    missing: notFoundOf([zero, one]),
  }
  const items = [zero, one].flatMap((page) => (Array.isArray(page) ? (page as JsonObject[]) : []))
  const isSecondFull = firstPageOf(seen) === 1
  if (!isSecondFull) return { pages: seen, items }
  const two = await readPage(port, list, { page: 2, size })
  const pages = { ...seen, pages: [first[0], first[1], idsOf(two)] as const, missing: notFoundOf([zero, one, two]) }
  return { pages, items }
}

async function readPage(
  port: PlatformPort,
  list: ListRequest,
  query: { readonly page: number; readonly size: number },
): Promise<readonly JsonObject[] | PlatformError> {
  try {
    return itemsOf(await port.send({ method: 'GET', path: list.path, query }), list)
  } catch (error) {
    if (error instanceof PlatformError && isAboutPage(error)) return error
    throw error
  }
}

function notFoundOf(pages: readonly (readonly JsonObject[] | PlatformError | undefined)[]): readonly number[] {
  return pages.flatMap((page, at) => (page instanceof PlatformError && page.code === failureCodes.notFound ? at : []))
}

function idsOf(page: readonly JsonObject[] | PlatformError | undefined): readonly string[] | undefined {
  if (page === undefined || page instanceof PlatformError) return undefined
  return page.map((item) => String(item.svcId ?? item.guid ?? item.id ?? JSON.stringify(item)))
}

/** Reads an account by its svcId in the other case. Undefined: nobody is listed with whom that says anything. */
export async function readInOtherCase(
  port: PlatformPort,
  kind: Kind,
  items: readonly JsonObject[],
): Promise<Parameters<typeof checkSvcIdCase>[0]> {
  const listed = new Set(items.map(({ svcId }) => String(svcId)))
  const others = [...listed].map((svcId) => ({ svcId, asked: otherCase(svcId) }))
  const chosen = others.find(({ svcId, asked }) => asked !== svcId && !listed.has(asked))
  const request = chosen && kind.requests.read?.({ self: chosen.asked, name: chosen.asked })
  if (chosen === undefined || request === undefined) return undefined
  const { svcId, asked } = chosen
  try {
    const answer = await port.send(request)
    // One who is really called so is somebody else.
    if (!isJsonObject(answer) || answer.svcId === asked) return undefined
    return answer.svcId === svcId ? { asked, isFound: true } : undefined
  } catch (error) {
    if (error instanceof PlatformError && error.code === failureCodes.notFound) return { asked, isFound: false }
    throw error
  }
}

/** ASCII letters alone: what others become in upper case is a matter of languages. */
function otherCase(svcId: string): string {
  const lower = svcId.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return lower === svcId ? svcId.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : lower
}

/** One of each type. A malformed answer is a text. */
export async function readSamples(
  port: PlatformPort,
  kind: Kind,
  items: readonly JsonObject[],
  at: Location,
  onPart: (part: LivePart) => void,
): Promise<readonly (JsonObject | string | undefined)[]> {
  const ofEachType = new Map(items.map((item) => [item.type, item])).values()
  const some = new Set([...items.slice(0, fewObjects), ...ofEachType])
  const parts = [...some].map((item) => readItem(port, kind, item, at))
  return Promise.all(
    parts.map(async (part) => {
      if (isMisread(part)) return undefined
      const request = kind.requests.read?.({ ...at, self: part.self, name: part.name })
      if (request === undefined) return undefined
      try {
        const answer = await port.send(request)
        if (answer === undefined) return 'it is empty'
        const read = parseWhole(port, kind, answer, at)
        if (isMisread(read)) return read.misread
        onPart(read)
        return answer as JsonObject
      } catch (error) {
        // Gone since the list was read.
        if (error instanceof PlatformError && error.code === failureCodes.notFound) return undefined
        throw error
      }
    }),
  )
}
