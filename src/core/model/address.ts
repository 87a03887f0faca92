// The address of an object: how it is shown, compared and selected everywhere.
import { wildcardMatcher } from './wildcard.ts'

/** `user/anna@example.com`, `constant/main/ErpUrl`, `process/main/Purchasing/Invoice approval/constant/Threshold`. */
export type Address = string

/** The order of objects in all output. */
export function byAddress(a: { readonly address: Address }, b: { readonly address: Address }): number {
  // By itself: a hundred thousand are sorted, and what `by` makes is shared with other sorts.
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0
}

export type SvcIdCase = 'ignore-case' | 'case-sensitive'

/** Brings a svcId into the form in which the installation compares it: its key. */
export type NormaliseSvcId = (svcId: string) => string

/** On most installations svcIds that differ in case are the same account: they are compared in lower case. */
export function normaliserOf(svcIds: SvcIdCase): NormaliseSvcId {
  return svcIds === 'case-sensitive' ? asWritten : inLowerCase
}

const asWritten: NormaliseSvcId = (svcId) => svcId
const inLowerCase: NormaliseSvcId = (svcId) => svcId.toLowerCase()

/** A slash inside a name is written as `\/`, so that addresses are unambiguous; svcIds keep theirs: they stand last. */
export function addressSegment(name: string): string {
  return name.includes('/') || name.includes('\\') ? name.replace(/[\\/]/g, '\\$&') : name
}

/** The parts of a kind that make its addresses. */
interface AddressParts {
  readonly segment: string
  readonly scope: 'installation' | 'database' | 'parent'
}

/** The database, by name, or the container of an object; nothing for kinds of the whole installation. */
interface AddressContext {
  readonly database?: string | undefined
  readonly parent?: { readonly address: Address } | undefined
}

export function addressStart({ segment, scope }: AddressParts, { database, parent }: AddressContext): Address {
  if (scope === 'installation') return segment
  if (parent === undefined) return `${segment}/${database}`
  if (scope === 'parent') return `${parent.address}/${segment}`
  // `application/main/Purchasing` holds `process/main/Purchasing/…`.
  return `${segment}${parent.address.slice(parent.address.indexOf('/'))}`
}

/** The kinds an address may belong to: a name can contain the word of another kind. Empty: no kind. */
export function kindsAt<Kind extends AddressParts>(address: Address, kinds: readonly Kind[]): readonly Kind[] {
  const [first = '', ...rest] = address.split('/')
  const top = kinds.filter(({ scope, segment }) => scope !== 'parent' && segment === first)
  if (top.length === 0 || rest.length === 0 || rest.some((part) => part === '')) return []
  return [...top, ...kinds.filter(({ scope, segment }) => scope === 'parent' && rest.includes(segment))]
}

/** The address of an object that is known by the name. */
export function objectAddress(kind: AddressParts, name: string, within: AddressContext = {}): Address {
  return `${addressStart(kind, within)}/${kind.scope === 'installation' ? name : addressSegment(name)}`
}

/** The address that the object would have under another name than `name`, which is the end of its address. */
export function addressUnder(other: string, address: Address, name: string): Address {
  return `${address.slice(0, address.length - addressSegment(name).length)}${addressSegment(other)}`
}

/** True for the address of a page in the browser, with or without its host. */
export function isPageAddress(text: string): boolean {
  return /^(https?:\/\/[^/]|\/)/i.test(text)
}

/** A glob over addresses → a test: `*` stops at a slash, `**` does not; what lies below a match matches, too. */
export function addressMatcher(glob: string, kinds: readonly AddressParts[]): (address: Address) => boolean {
  const pattern = glob.toLowerCase()
  const slash = pattern.indexOf('/')
  const ofPaths = wildcardMatcher(pattern, true)
  if (slash < 0) return (address) => ofPaths(address.toLowerCase())
  const ofKind = wildcardMatcher(pattern.slice(0, slash), false)
  // The rest of such an address after its first slash is one name.
  const whole = new Set(kinds.flatMap(({ scope, segment }) => (scope === 'installation' ? segment.toLowerCase() : [])))
  const ofSvcId = wildcardMatcher(pattern.slice(slash + 1), false)
  return (address) => {
    const lower = address.toLowerCase()
    const end = lower.indexOf('/')
    // A leading `**` leaves open where the name begins.
    if (!whole.has(lower.slice(0, end)) || pattern.startsWith('**')) return ofPaths(lower)
    return ofKind(lower.slice(0, end)) && ofSvcId(lower.slice(end + 1))
  }
}

/** Turns a pattern into a test of whole svcIds: `*` is any text, `?` one character. Compared as svcIds are. */
export function svcIdMatcher(pattern: string, normalise: NormaliseSvcId): (svcId: string) => boolean {
  const matches = wildcardMatcher(normalise(pattern), false)
  return (svcId) => matches(normalise(svcId))
}

export function selectionOf(globs: readonly string[], kinds: readonly AddressParts[]): (address: Address) => boolean {
  if (globs.length === 0) return () => true
  const matchers = globs.map((glob) => addressMatcher(glob, kinds))
  return (address) => matchers.some((matches) => matches(address))
}

/** True where something below the address may be selected, though the address itself need not be. */
export function selectionBelow(globs: readonly string[]): (address: Address) => boolean {
  if (globs.length === 0) return () => true
  // Behind `**` may be anything, of any length.
  const paths = globs.map((glob) =>
    segmentsOf(glob).map((part) => (part.includes('**') ? undefined : addressMatcher(part, []))),
  )
  return (address) => {
    const segments = segmentsOf(address)
    return paths.some((path) => {
      for (const [index, segment] of segments.entries()) {
        // A glob selects everything below what it selects.
        if (index >= path.length) return true
        const matches = path[index]
        if (matches === undefined) return true
        if (!matches(segment)) return false
      }
      return true
    })
  }
}

/** As people call objects of databases: `form-type Invoice of Invoice approval`. Equal names keep addresses. */
export function spokenNames(addresses: Iterable<Address>): (address: Address) => string {
  const spoken = new Map([...new Set(addresses)].map((address) => [address, spokenName(address)]))
  const counts = new Map<string, number>()
  for (const name of spoken.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return (address) => {
    const name = spoken.get(address) ?? address
    return counts.get(name) === 1 ? name : address
  }
}

function spokenName(address: Address): string {
  const segments = segmentsOf(address).map((segment) => segment.replace(/\\([\\/])/g, '$1'))
  const [first = '', , ...names] = segments
  const name = names.at(-1)
  if (name === undefined) return address
  // A container has the names of its application and its own; below it, each kind is written before the name.
  return names.length > 2 ? `${names.at(-2)} ${name} of ${names[names.length % 2 === 0 ? 1 : 0]}` : `${first} ${name}`
}

function segmentsOf(address: string): string[] {
  return address.split(/(?<!\\)\//)
}
