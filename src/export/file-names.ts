// Names of files from names on the platform: any file system takes them, and no two differ in case only.

/** What Windows keeps for itself, whatever ending follows, and the folder in which no manifest is looked for. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d|node_modules)$/

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
  return reserved.test(short.split('.')[0] as string) ? `_${short}` : short
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
