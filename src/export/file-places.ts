// Which file an object stands in, as somebody would cut the files who has to keep them.
import type { Kind } from '../core/kind.ts'
import type { LiveItem } from '../core/live-tree.ts'
import { FileNames } from './file-names.ts'

export class FilePlaces {
  readonly #hasFolders: boolean
  readonly #folders = new FileNames()
  readonly #names = new Map<string, FileNames>()

  /** `databases`: all that the target has. With several, each gets a folder. */
  constructor(databases: readonly string[]) {
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
    if (outer === undefined) return `${folder}${kind.sections[0].key}.yaml`
    const group = `${folder}${outer.kind.sections[0].key}`
    let names = this.#names.get(group)
    if (names === undefined) {
      names = new FileNames()
      this.#names.set(group, names)
    }
    return `${group}/${names.of(outer.address, outer.called ?? outer.identity, 'unnamed')}.yaml`
  }
}

function outermost(item: LiveItem | undefined): LiveItem | undefined {
  return item?.parent === undefined ? item : outermost(item.parent)
}
