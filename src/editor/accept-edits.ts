// Differences between manifests and platform → edits after which the manifests say what is live.
import { type Cause, causeOfField, causeOfObject, causesOfElements } from '@svcsync/core/compare/cause.ts'
import { type Change, kindOf } from '@svcsync/core/compare/change.ts'
import type { FieldDifference } from '@svcsync/core/compare/compare-fields.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { type Desired, placeOfField, writtenFor } from '@svcsync/core/model/desired.ts'
import { isJsonObject, valueAt } from '@svcsync/core/model/json.ts'
import { schemaAt } from '@svcsync/core/model/schema-fields.ts'
import { sensitivesIn } from '@svcsync/core/model/sensitive.ts'
import { offsetAt, offsetOf } from '@svcsync/core/model/source.ts'
import { formatPlace } from '@svcsync/errors/index.ts'
import { fitValue } from '@svcsync/export/fitting.ts'
import { valuesOf } from '@svcsync/export/item-node.ts'
import { type Acceptance, type AcceptResult, keepsReference, ListAcceptance, showValue } from './accept-list.ts'
import { itemAt, type SourceEdit } from './uses.ts'

interface DeclaredSide {
  readonly declarations: readonly Declaration[]
  readonly sets: ReadonlyMap<string, AccountSet>
  /** Undefined: nobody knows what was declared before, and all that differs counts as the platform's. */
  readonly hasBase: boolean
  readonly overrides: ReadonlySet<string> | undefined
  readonly normalise: NormaliseSvcId
}

export function acceptEdits(changes: readonly Change[], side: DeclaredSide): AcceptResult {
  const taking = new DriftAcceptance(side)
  for (const change of changes) taking.add(change)
  return taking
}

const bothChanged =
  'the manifests and the platform moved both since the last apply: decide which of the two holds, and edit it by hand'

/** Undefined: an apply is to carry it out. */
type Judged = ReturnType<ListAcceptance['withEntry']> | undefined

class DriftAcceptance implements AcceptResult {
  readonly taken: Acceptance[] = []
  readonly refused: AcceptResult['refused'][number][] = []
  pending = 0
  readonly #side: DeclaredSide

  constructor(side: DeclaredSide) {
    this.#side = side
  }

  add(change: Change): void {
    const { action, desired, live } = change
    if (action === 'update' && desired !== undefined && live !== undefined) {
      for (const difference of change.fields) this.#put(this.#field(change, desired, difference))
      for (const { collection, added, removed } of change.collections) {
        const list = new ListAcceptance(change, desired, collection, this.#side.normalise)
        const causes = causesOfElements(desired, collection, live.collections[collection] ?? [], removed)
        const mine = added.filter(({ element }) => this.#isMine(change, causes.added(element), list.shown(element)))
        for (const element of mine) {
          this.#put(list.withoutEntry(element, this.#side.sets, mine))
        }
        for (const element of removed)
          if (this.#isMine(change, causes.removed(element), list.shown(element))) this.#put(list.withEntry(element))
      }
    } else if (action === 'create' && desired !== undefined) this.#vanished(change, desired)
    else if (action === 'delete') this.#put(this.#appeared(change))
  }

  #put(result: Judged): void {
    if (result === undefined) return
    if ('why' in result) this.refused.push(result)
    else this.taken.push(result)
  }

  #isMine({ address }: Change, cause: Cause | undefined, what: string): boolean {
    // Nobody knows who changed a value under a reference: it is refused as one.
    if (!this.#side.hasBase || cause === 'live' || cause === undefined) return true
    if (cause === 'both') this.refused.push({ address, what, why: bothChanged })
    else this.pending++
    return false
  }

  #field(change: Change, desired: Desired, difference: FieldDifference): Judged {
    const { path, before, after } = difference
    const { address } = change
    const what = path.join('.')
    if (!this.#isMine(change, causeOfField({ desired, live: change.live }, difference), what)) return undefined
    const refuse = (why: string) => ({ address, what, why })
    const [section] = [desired.declarations[0].section]
    const schema = schemaAt(section.schema, path)
    if (difference.rotates || schema === undefined || path[0] === section.identity)
      return refuse('it is the name, or the day of credentials: an apply carries it out')
    if (sensitivesIn(after).length > 0) return refuse(keepsReference)
    let misfit: string | undefined
    const onMisfit = (_: readonly string[], reason: string): void => {
      misfit = reason
    }
    const fit = fitValue(schema, before, { extent: 'complete', onMisfit }, path)
    if (misfit !== undefined) return refuse(misfit)
    if (fit === undefined && schema.nullable !== true && !('inherited' in schema && schema.inherited))
      return refuse('the manifests cannot say that it is empty')
    const [holder, at] = holderOf(desired, path) ?? []
    if (holder === undefined || at === undefined) return refuse('no line says it')
    const edit = { edit: 'set-field', at, key: path.at(-1) as string, value: fit ?? null } as const
    return {
      address,
      path: what,
      declaration: holder,
      what: `${what}: ${showValue(after)} → ${showValue(fit ?? null)}`,
      edits: [{ source: holder.source, edit }],
    }
  }

  #vanished(change: Change, desired: Desired): void {
    const { address } = change
    if (!this.#isMine(change, causeOfObject(change), 'not there any more')) return
    const edits = writtenFor(desired).map(
      (each): SourceEdit => ({ source: each.source, edit: { edit: 'remove-entry', at: itemAt(each) } }),
    )
    this.taken.push({
      address,
      path: '',
      what: 'not there any more: no longer declared',
      edits,
      vanished: desired,
      declaration: desired.declarations[0],
    })
  }

  #appeared(change: Change): Judged {
    const { address, desired, live, prunedBy } = change
    if (live === undefined || change.retired !== undefined) {
      this.pending++
      return undefined
    }
    const cause = desired === undefined ? 'live' : causeOfObject(change)
    if (!this.#isMine(change, cause, 'there, and not to be')) return undefined
    const refuse = (why: string) => ({ address, what: 'there, and not to be', why })
    const kind = kindOf(change)
    const [section] = kind.sections
    let left: string | undefined
    const leave = ({ reason }: { readonly reason: string }): void => {
      left = reason
    }
    const values = valuesOf({ ...live, kind, address, database: undefined }, { extent: 'lists', leave })
    if (left !== undefined) return refuse(left)
    const what = prunedBy === undefined ? 'there again: declared' : 'there: declared'
    if (desired !== undefined) {
      const [declaration] = desired.declarations
      const at = itemAt(declaration)
      const { source } = declaration
      const fields = Object.entries(values).map(
        ([key, value]): SourceEdit => ({ source, edit: { edit: 'set-field', at, key, value } }),
      )
      const edits = [{ source, edit: { edit: 'keep-fields' as const, at, keys: [section.identity] } }, ...fields]
      return { address, path: '', what, edits, declaration }
    }
    const neighbour = neighbourOf(change, this.#side)
    if (neighbour === undefined)
      return refuse(
        `no manifest declares \`${section.key}\` yet: \`svcsync export --missing\` writes it into a file of its own`,
      )
    const value = { [section.identity]: live.name, ...values }
    const edit = { edit: 'add-beside', at: itemAt(neighbour), value, wide: true } as const
    return { address, path: '', what, edits: [{ source: neighbour.source, edit }] }
  }
}

/** The last object of the kind in the file that declares most of them. */
function neighbourOf(change: Change, { declarations, overrides }: DeclaredSide): Declaration | undefined {
  const kind = kindOf(change)
  if (kind.scope === 'parent') return undefined
  const own = declarations.filter(
    ({ section, source, parent }) =>
      section === kind.sections[0] && parent === undefined && !overrides?.has(source.file),
  )
  const counts = new Map<string, number>()
  for (const { source } of own) counts.set(source.file, (counts.get(source.file) ?? 0) + 1)
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return own.findLast(({ source }) => source.file === best?.[0])
}

/** The declaration of a field, and the offset of the mapping that contains it. */
function holderOf(desired: Desired, path: readonly string[]): readonly [Declaration, number] | undefined {
  const place = formatPlace(placeOfField(desired, path))
  for (const declaration of desired.declarations) {
    const { source, item } = declaration
    if (formatPlace(source.placeAt(offsetAt(source, item, path))) !== place) continue
    const mapping = path.length === 1 ? item : valueAt(item, path.slice(0, -1))
    if (isJsonObject(mapping) && mapping[path.at(-1) as string] !== undefined)
      return [declaration, offsetOf(source, mapping, 0) ?? 0]
  }
  return undefined
}
