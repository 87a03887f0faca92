// Remembers between runs which texts have the canonical layout, so that they need not be laid out again to find that
// out.

import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import { documentSchema } from '@svcsync/manifests/manifest-shape.ts'

const formatVersion = 1
/** Texts that are kept beside those of the last run: another branch, other paths. */
const maxKept = 10_000
/** Bytes: a file beyond that is none of ours. */
const maxSize = 64 * 1024 * 1024
const digestForm = /^[\w-]{43}$/

export function digestOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Digests of whole texts, no names or content. A broken file is taken for empty: slower, never different. */
export class FormatCache {
  readonly #dir: string
  readonly #key: string
  readonly #known: ReadonlySet<string>
  readonly #seen = new Set<string>()
  #hits = 0

  /** `version`: of svcsync. The canonical text depends on it, and on the kinds' keys and their order. */
  constructor(projectDir: string, version: string, kinds: readonly Kind[]) {
    this.#dir = join(projectDir, '.svcsync')
    this.#key = keyOf(version, kinds)
    this.#known = new Set(read(this.#file, this.#key))
  }

  get #file(): string {
    return join(this.#dir, 'cache', 'fmt.json')
  }

  /** The number of known texts. */
  get hits(): number {
    return this.#hits
  }

  has(digest: string): boolean {
    if (!this.#known.has(digest)) return false
    this.#hits++
    this.#seen.add(digest)
    return true
  }

  add(digest: string): void {
    this.#seen.add(digest)
  }

  /** Writes what is new, in one step: of several runs at a time the last one wins. Throws what the system says. */
  save(): void {
    if ([...this.#seen].every((digest) => this.#known.has(digest))) return
    const others = [...this.#known].filter((digest) => !this.#seen.has(digest)).slice(0, maxKept)
    const text = JSON.stringify({ formatVersion, key: this.#key, canonical: [...this.#seen, ...others] })
    const folder = join(this.#dir, 'cache')
    for (const dir of [this.#dir, folder]) makeFolder(dir)
    // It keeps itself out of version control, whatever the project's own file says.
    putInPlace(join(folder, '.gitignore'), '*\n', 0o600)
    putInPlace(this.#file, text, 0o600)
  }
}

function keyOf(version: string, kinds: readonly Kind[]): string {
  const sections = kinds.map(({ name, sections }) => [
    name,
    sections.map(({ key, within, partial, schema }) => [key, within, partial, schema]),
  ])
  return digestOf(JSON.stringify([version, documentSchema, sections]))
}

function read(path: string, key: string): readonly string[] {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || stats.size > maxSize || !isOurs(stats)) return []
      const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> | null
      if (content?.formatVersion !== formatVersion || content.key !== key) return []
      const { canonical } = content
      return Array.isArray(canonical)
        ? canonical.filter((digest) => typeof digest === 'string' && digestForm.test(digest))
        : []
    } finally {
      closeSync(file)
    }
  } catch {
    return []
  }
}

/** A link could lead anywhere. */
function makeFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (!lstatSync(dir).isDirectory()) throw Object.assign(new TypeError(`${dir} is a link`), { code: 'ELOOP' })
}

function isOurs({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
}
