// Selects the declarations that `--only` can match, and drops fields that the API version does not have.
import type { Problem } from '@svcsync/errors/index.ts'
import { addressMatcher, objectAddress } from '../model/address.ts'
import { page } from '../model/capabilities/page.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import type { Desired, DesiredCollection } from '../model/desired.ts'
import { isJsonObject } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { Schema } from '../model/schema.ts'
import { parseUrl } from '../model/url.ts'

export function findNotOffered(declarations: readonly Declaration[], apiVersion: '5.0' | '6.0'): readonly Problem[] {
  const problems: Problem[] = []
  const visit = (declaration: Declaration, schema: Schema | undefined, path: readonly string[], value: unknown) => {
    if (schema === undefined) return
    if (schema.since !== undefined && schema.since > apiVersion) {
      problems.push({
        code: 'SVC1405',
        severity: 'error',
        message: `\`${path.join('.')}\` is not offered by API version ${apiVersion}`,
        place: placeIn(declaration, path, 'key'),
        hint: `API ${schema.since} has it: set apiVersion of the target, or remove the field.`,
      })
    } else if (schema.type === 'object' && isJsonObject(value)) {
      for (const [key, part] of Object.entries(value)) visit(declaration, schema.properties[key], [...path, key], part)
    }
  }
  if (apiVersion !== '6.0') for (const each of declarations) visit(each, each.section.schema, [], each.item)
  return problems
}

/** Addresses of pages of another installation. */
export function findForeignPages(
  declarations: readonly Declaration[],
  baseUrl: string,
  target: string,
): ReadonlyMap<Declaration, Problem> {
  const found = new Map<Declaration, Problem>()
  for (const declaration of declarations) {
    const message = page.of(declaration.kind) && foreignPage(identityOf(declaration), baseUrl, target)
    if (message === undefined) continue
    const place = placeIn(declaration, [declaration.section.identity])
    const hint = `Write its number on that installation. ${aliasHint}`
    found.set(declaration, { code: 'SVC1362', severity: 'error', message, place, hint })
  }
  return found
}

/** Undefined: it may be a page of the target. An address without a host is one of its own. */
export function foreignPage(url: string, baseUrl: string, target: string): string | undefined {
  // Without the default port, and in the normalised form of host names.
  const hostOf = (text: string): string | undefined =>
    parseUrl(text)?.host ?? /^(?:https?:)?\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(text)?.[1]?.toLowerCase()
  const [host, own] = [hostOf(url), hostOf(baseUrl)]
  if (host === undefined || own === undefined || host === own) return undefined
  return `The address is of another installation: \`${host}\`, and the target \`${target}\` is \`${own}\``
}

export const aliasHint = 'If both names lead to the same installation, write the path alone: `/db/1/…`.'

/** If only resolved names make the address, its first word decides; svcsync drops the surplus afterwards. */
export function selectDeclarations(
  declarations: readonly Declaration[],
  globs: readonly string[],
  databaseOf: (declaration: Declaration) => string | undefined,
): readonly Declaration[] {
  if (globs.length === 0) return declarations
  const kinds = [...new Set(declarations.map(({ kind }) => kind))]
  const whole = globs.map((glob) => addressMatcher(glob, kinds))
  const firstWords = globs.map((glob) => {
    const [first = ''] = glob.split('/')
    return first.includes('**') ? () => true : addressMatcher(first, [])
  })
  return declarations.filter((declaration) => {
    const { kind } = declaration
    if (!firstWords.some((matches) => matches(rootOf(declaration).kind.segment))) return false
    if (isFoundByName(declaration)) return true
    const name = identityOf(declaration)
    const database = kind.scope === 'installation' ? undefined : (databaseOf(declaration) ?? '*')
    const address = objectAddress(kind, name, { database })
    return whole.some((matches) => matches(address))
  })
}

function isFoundByName({ kind, parent }: Declaration): boolean {
  return (kind.lookup ?? page.of(kind)) !== undefined || (parent !== undefined && isFoundByName(parent))
}

/** True where it takes the platform's metadata to put the object together: to find it, or what its items are about. */
export function needsNames(declaration: Declaration): boolean {
  if (isFoundByName(declaration)) return true
  const { collections } = declaration.kind
  for (const name in collections) if (collections[name]?.about !== undefined) return true
  return false
}

/** Assembles without the platform. If no item of a kind is about another object, none needs names; else all do. */
export function needsNamesBeside(desired: readonly Desired[]): (declaration: Declaration) => boolean {
  const areAboutOthers = new Map<Kind, boolean>()
  // Also what has ended is taken away by its name.
  const isAboutOthers = ({ elements, outside }: DesiredCollection): boolean =>
    [...elements.values()].some(({ element }) => element.svcId === undefined && element.about !== undefined) ||
    [...(outside?.values() ?? [])].some(({ about }) => about !== undefined)
  for (const { kind, collections, declarations } of desired) {
    if (!needsNames(declarations[0]) || areAboutOthers.get(kind) === true) continue
    areAboutOthers.set(kind, Object.values(collections).some(isAboutOthers))
  }
  return (declaration) =>
    needsNames(declaration) && (isFoundByName(declaration) || areAboutOthers.get(declaration.kind) !== false)
}

function rootOf(declaration: Declaration): Declaration {
  return declaration.parent === undefined ? declaration : rootOf(declaration.parent)
}
