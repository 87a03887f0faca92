// Which file an object stands in, as somebody would cut the files who has to keep them.
import type { Kind } from '../core/model/kind.ts'
import type { LiveItem } from '../core/model/live-tree.ts'
import { FileNames } from './file-names.ts'

export class FilePlaces {
  readonly #hasFolders: boolean
  readonly #folders = new FileNames()
  readonly #names = new Map<string, FileNames>()
  readonly #isTaken: (file: string) => boolean
  /** By the file that it would be, were there no other: the one that it is. */
  readonly #files = new Map<string, string>()
  readonly #used = new Set<string>()

  /** `databases`: all that the target has. With several, each gets a folder. `isTaken`: somebody else's file bears the name. */
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

  /**
   * Objects of a section have one file, but for those that are found by name: each of the outermost has its own, with all
   * that is in it. `self`: the object, where it is known.
   */
  fileOf(kind: Kind, database: string | undefined, parent: LiveItem | undefined, self: LiveItem | undefined): string {
    const folder = this.folderOf(database)
    const outer = outermost(parent) ?? (kind.lookup === undefined ? undefined : self)
    if (outer === undefined) return this.#free(`${folder}${kind.sections[0].key}`)
    const group = `${folder}${outer.kind.sections[0].key}`
    let names = this.#names.get(group)
    if (names === undefined) {
      names = new FileNames()
      this.#names.set(group, names)
    }
    return this.#free(`${group}/${names.of(outer.address, outer.called ?? outer.identity, 'unnamed')}`)
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
