// Chooses the file of each object, as a person would divide them.
import { namesDevice } from '@svcsync/core/model/device-name.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'

export class FilePlaces {
  readonly #hasFolders: boolean
  readonly #folders = new FileNames()
  readonly #names = new Map<string, FileNames>()
  readonly #isTaken: (file: string) => boolean
  /** By the file that it would be, were there no other: the one that it is. */
  readonly #files = new Map<string, string>()
  readonly #used = new Set<string>()

  /** `databases`: all of the target; with several, each gets a folder. `isTaken`: another file has the name. */
  constructor(databases: readonly string[], isTaken: (file: string) => boolean = () => false) {
    this.#isTaken = isTaken
    this.#hasFolders = databases.length > 1
    for (const database of [...databases].sort()) this.folderOf(database)
  }

  /** With a slash at its end; empty: there is none. */
  folderOf(database: string | undefined): string {
    if (database === undefined || !this.#hasFolders) return ''
    return `${this.#folders.of(database, database, 'database')}/`
  }

  /** A section has one file; each outermost object that is found by name has its own. `self`: the object, if known. */
  fileOf(kind: Kind, database: string | undefined, parent: LiveItem | undefined, self: LiveItem | undefined): string {
    const folder = this.folderOf(database)
    const outer = outermost(parent) ?? (kind.lookup === undefined ? undefined : self)
    if (outer === undefined) return this.#free(`${folder}${kind.sections[0].key}`)
    const group = `${folder}${outer.kind.sections[0].key}`
    const names = getOrInsert(this.#names, group, () => new FileNames())
    return this.#free(`${group}/${names.of(outer.address, outer.called ?? outer.identity, 'unnamed')}`)
  }

  /** A file for the parts of a database that are no objects; no section has its name. */
  fileBeside(database: string, name: string): string {
    return this.#free(`${this.folderOf(database)}${name}`)
  }

  /** With a number where the name is taken. `base`: without the ending. */
  #free(base: string): string {
    const known = this.#files.get(base)
    if (known !== undefined) return known
    let file = `${base}.yaml`
    for (let number = 2; this.#used.has(file) || this.#isTaken(file); number++) file = `${base}-${number}.yaml`
    this.#files.set(base, file)
    this.#used.add(file)
    return file
  }
}

function outermost(item: LiveItem | undefined): LiveItem | undefined {
  return item?.parent === undefined ? item : outermost(item.parent)
}

/** The files of kinds that have one each, whatever is live: those that can be told before anything is read. */
export function sectionFiles(kinds: Iterable<Kind>, databases: readonly string[]): readonly string[] {
  const places = new FilePlaces(databases)
  const own = [...kinds].filter(({ scope, lookup }) => scope !== 'parent' && lookup === undefined)
  return own.flatMap((kind) =>
    kind.scope === 'installation'
      ? [places.fileOf(kind, undefined, undefined, undefined)]
      : databases.map((database) => places.fileOf(kind, database, undefined, undefined)),
  )
}

const maxLength = 60

/** Lower case letters, digits and hyphens. Undefined: nothing of the name is left. */
export function fileName(name: string): string | undefined {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_.]+/gu, '-')
    .replace(/\.{2,}/g, '.')
  const short = [...words]
    .slice(0, maxLength)
    .join('')
    .replace(/^[-.]+|[-.]+$/g, '')
  if (short === '') return undefined
  // No manifest is looked for in `node_modules`.
  return namesDevice(short) || /^node_modules(?:\.|$)/.test(short) ? `_${short}` : short
}

/** Gives each key a name of its own: that of its text, with a number where others have it already. */
export class FileNames {
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** The same for the same key. `whenEmpty`: where nothing of the text is left. */
  of(key: string, text: string, whenEmpty: string): string {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const base = fileName(text) ?? whenEmpty
    let name = base
    // Case was folded above; letters that some systems take for the same are folded here.
    for (let number = 2; this.#taken.has(foldName(name)); number++) name = `${base}-${number}`
    this.#taken.add(foldName(name))
    this.#names.set(key, name)
    return name
  }
}

function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase()
}
