// Selects the manifests of a target by addresses as written: equal for plans, validation and older commits.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Address, addressMatcher, isPageAddress } from '../model/address.ts'
import { page } from '../model/capabilities/page.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import type { Directory, FoundObject } from '../model/directory.ts'
import type { Kind } from '../model/kind.ts'
import { wildcardMatcher } from '../model/wildcard.ts'
import { locateDeclaration } from './locate.ts'

/** `directory`: that of addresses as they are written. */
export function divideByScope(
  declarations: readonly Declaration[],
  globs: readonly string[],
  directory: Directory,
  kinds: readonly Kind[],
) {
  if (globs.length === 0) return { own: declarations, outside: [], problems: [] }
  const matchers = globs.map((glob) => ({
    matches: addressMatcher(glob, kinds),
    mayMatch: matcherOfUnknown(glob),
  }))
  const addressOf = writtenAddresses(directory)
  const own: Declaration[] = []
  const outside: Declaration[] = []
  const problems: Problem[] = []
  const told = new Set<Declaration>()
  for (const declaration of declarations) {
    const address = addressOf(declaration)
    const parts = address === undefined ? undefined : partsOf(declaration, address)
    // With names that nobody knows, only a glob that takes any name matches.
    const isOwn = parts === undefined || matchers.some(({ matches }) => matches(parts.join('/')))
    ;(isOwn ? own : outside).push(declaration)
    if (isOwn || address === undefined || !parts.includes(unknown)) continue
    if (!matchers.some(({ mayMatch }) => mayMatch(parts))) continue
    // The message about the parent covers it.
    if (declaration.parent === undefined || !told.has(declaration.parent))
      problems.push(unclearScopeProblem(declaration, address))
    told.add(declaration)
  }
  return { own, outside, problems }
}

export function writtenAddresses(directory: Directory): (declaration: Declaration) => Address | undefined {
  const known = new Map<Declaration, FoundObject | undefined>()
  const run = { directory, problems: [], lost: new Set<object>(), unlocated: new Map() }
  const locate = (declaration: Declaration): FoundObject | undefined => {
    if (!known.has(declaration)) known.set(declaration, locateDeclaration(declaration, locate, run))
    return known.get(declaration)
  }
  return (declaration) => locate(declaration)?.address
}

/** A guid, a number or the address of a page may have any name; without its application, any application. */
function isDoubtful(declaration: Declaration): boolean {
  const { kind, parent, item } = declaration
  if (parent !== undefined) return isDoubtful(parent) || (kind.lookup !== undefined && isOpen(identityOf(declaration)))
  if (page.of(kind) !== undefined) return isPageAddress(identityOf(declaration))
  if (kind.lookup === undefined) return false
  const outer = kind.parent === undefined ? undefined : item[kind.parent]
  return (kind.parent !== undefined && outer === undefined) || [identityOf(declaration), String(outer)].some(isOpen)
}

function isOpen(name: string): boolean {
  return /^\d+$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)
}

const unknown = '\u0000'

/** The parts of its address, with placeholders for unknown names. */
function partsOf(declaration: Declaration, address: Address): readonly string[] {
  const parts = address.split(/(?<!\\)\//)
  if (!isDoubtful(declaration)) return parts
  return parts.map((part) =>
    part === '*' || isOpen(part) || isPageAddress(part.replaceAll('\\', '')) ? unknown : part,
  )
}

/** True if the glob matches for some value of the unknown names. A glob also selects everything below. */
function matcherOfUnknown(glob: string): (segments: readonly string[]) => boolean {
  const parts = glob
    .split(/(?<!\\)\//)
    .map((part) => (part.includes('**') ? undefined : wildcardMatcher(part.toLowerCase(), false)))
  return (segments) => {
    for (const [index, part] of parts.entries()) {
      if (part === undefined) return true
      const segment = segments[index]
      if (segment === undefined) return false
      if (segment !== unknown && !part(segment.toLowerCase())) return false
    }
    return true
  }
}

function unclearScopeProblem(declaration: Declaration, address: Address): Problem {
  const { kind, section, parent } = declaration
  const noun = kind.name.replace('-', ' ')
  const by = parent === undefined && kind.parent !== undefined ? `its name and \`${kind.parent}:\`` : 'its name'
  return {
    code: 'SVC1506',
    severity: 'error',
    message: `svcsync cannot tell whether the target has this ${noun}: \`only\` may select ${inCode(address)}`,
    place: placeIn(declaration, [section.identity]),
    hint: `Write the ${noun} by ${by}: \`only\` compares addresses as manifests write them.`,
  }
}
