// A saved plan as the text of a file, and back. A file that was changed, even by one byte, is no plan.

import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { changeDigest } from '@svcsync/core/plan/change-digest.ts'
import { upcomingMs } from '@svcsync/core/plan/find-announcements.ts'
import { misfitOf } from '@svcsync/core/plan/misfit.ts'
import { documentTexts } from '@svcsync/core/plan/plan-digest.ts'
import { type ChangeDocument, type PlanDocument, planFormatVersion } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/precondition.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { RefusedError } from '@svcsync/errors/index.ts'
import { sha256 } from '../open/sha256.ts'

/** Between the time of a plan and that of its reading of entries, and between the clocks of two machines. */
export const clockSkewMs = 5 * 60_000

/** Controls, and what hides or reorders text: the file is read by people as well. */
const invisible = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]/g

/** The bytes that are written: equal plans, equal bytes. */
export function planFileText(plan: Omit<SavedPlan, 'checksum'>): string {
  const escapeUnit = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const text = JSON.stringify({ ...plan, checksum: '' }, undefined, 2).replace(invisible, escapeUnit)
  const whole = `${text}\n`
  return sealed(whole, sha256([whole]))
}

const seal = (checksum: string): string => `"checksum": "${checksum}"\n}\n`

/** The text with another checksum instead of its own. */
function sealed(text: string, checksum: string, own = ''): string {
  return `${text.slice(0, -seal(own).length)}${seal(checksum)}`
}

/** Rejects what is no whole and unaltered saved plan with a RefusedError. `shown`: the name of the file. */
export function parsePlanFile(bytes: Uint8Array, shown: string): SavedPlan {
  const { text, data } = planData(bytes, shown)
  if (data.saved === undefined && data.checksum === undefined)
    throw new RefusedError('SVC2102', `\`${shown}\` cannot be applied: it is printed output`, {
      hint: 'Save a plan with `svcsync plan --out FILE`.',
    })
  if (Number(String(data.formatVersion).replace(/^\d+\./, '')) < provenSince) {
    const message = `\`${shown}\` has the format ${String(data.formatVersion)}, whose digest covers less than it shows`
    throw new RefusedError('SVC2104', message, { hint: 'Plan again with this version of svcsync.' })
  }
  if (!isSealed(text, String(data.checksum)) || misfitOf(data, 'plan.schema.json') !== undefined)
    throw new RefusedError('SVC2103', `\`${shown}\` was altered: its checksum does not match`, {
      hint: 'It was edited, or changed on its way (line breaks, encoding). Make it again with `svcsync plan --out`.',
    })
  const saved = data as unknown as SavedPlan
  if (!isUnedited(saved, saved.saved) || alteredIn(saved) !== undefined)
    throw new RefusedError('SVC2103', `\`${shown}\` was altered: its content does not match its digest`, {
      hint: 'The file was edited. Make it again with `svcsync plan --out`.',
    })
  return saved
}

/** A saved plan, or `plan --format json`. Rejects others, and altered ones, with a RefusedError. */
export function parseApprovedPlan(bytes: Uint8Array, shown: string): PlanDocument {
  const { data } = planData(bytes, shown)
  if (data.saved !== undefined || data.checksum !== undefined) return documentOf(parsePlanFile(bytes, shown))
  if (data.ways !== undefined || data.changes === undefined)
    throw new RefusedError('SVC2102', `\`${shown}\` is no plan: \`plan --out\` writes one, or \`plan --format json\``)
  const misfit = misfitOf(data, 'plan.schema.json')
  if (misfit !== undefined)
    throw new RefusedError('SVC2103', `\`${shown}\` is not as svcsync wrote it, at \`${misfit}\``)
  const plan = data as unknown as PlanDocument
  if (plan.changes.some(({ digest }) => digest === undefined)) {
    const message = `\`${shown}\` has the format ${plan.formatVersion}, whose changes have no digests`
    throw new RefusedError('SVC2104', message, { hint: 'Plan again with this version of svcsync.' })
  }
  refuseAltered(plan, undefined, shown)
  return plan
}

/** Throws a RefusedError if the text, or one of the changes, is not as it was written. */
export function refuseAltered(plan: PlanDocument, text: string | undefined, shown: string): void {
  const { checksum } = plan as Partial<SavedPlan>
  if (text !== undefined && checksum !== undefined && !isSealed(text, checksum))
    throw new RefusedError('SVC2103', `\`${shown}\` was altered: its checksum does not match`)
  const altered = alteredIn(plan)
  if (altered !== undefined)
    throw new RefusedError('SVC2103', `\`${shown}\` was altered: ${altered.address} does not match its digest`)
}

const isSealed = (text: string, checksum: string): boolean =>
  text.endsWith(seal(checksum)) && sha256([sealed(text, '', checksum)]) === checksum

/** The first change whose digest is another's, or missing; those of older formats have none. */
function alteredIn({ formatVersion, changes, steps }: PlanDocument): ChangeDocument | undefined {
  const own = groupBy(steps, ({ address }) => address)
  return changes.find((change) => {
    if (change.digest === undefined) return formatVersion === planFormatVersion
    return changeDigest(change, own.get(change.address) ?? [], sha256) !== change.digest
  })
}

export function documentOf({ saved: _, checksum: __, ...document }: SavedPlan): PlanDocument {
  return document
}

/** True if the contents of a plan, and its basis, match its digest. */
export function isUnedited(plan: PlanDocument, preconditions: Preconditions): boolean {
  const { svcIds, later } = preconditions
  // The digest does not separate near from later entries: the plan's time does.
  const nearMs = Date.parse(plan.createdAt) + upcomingMs - clockSkewMs
  const isTold = later.every(({ at }) => Date.parse(at) > nearMs)
  return isTold && sha256(documentTexts(svcIds).content(plan, preconditions)) === plan.digest
}

/** True if a plan inside another file is still the saved one. */
export function isUnaltered(plan: SavedPlan): boolean {
  return planFileText(plan).endsWith(seal(plan.checksum)) && isUnedited(plan, plan.saved)
}

function planData(bytes: Uint8Array, shown: string): { readonly text: string; readonly data: JsonObject } {
  const text = decode(bytes)
  const data = text === undefined ? undefined : parseJson(text)
  if (text === undefined || !isJsonObject(data))
    throw new RefusedError('SVC2102', `\`${shown}\` is no plan: it is not JSON, or only a part of it`, {
      hint: 'Make it again with `svcsync plan --out`.',
    })
  checkFormat(data, shown)
  return { text, data }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The minor version from which on a digest covers all that a plan shows. */
const provenSince = 2

/** Minor versions only add; what another major version means is not known here. */
function checkFormat({ formatVersion }: JsonObject, shown: string): void {
  const major = (version: unknown): string | undefined => /^(\d+)\.\d+$/.exec(String(version))?.[1]
  if (major(formatVersion) === undefined)
    throw new RefusedError('SVC2102', `\`${shown}\` is no plan: it does not say its \`formatVersion\``, {
      hint: 'Name a file that `svcsync plan --out` has written.',
    })
  if (major(formatVersion) === major(planFormatVersion)) return
  const message = `\`${shown}\` has the format ${String(formatVersion)}, and this svcsync knows ${planFormatVersion}`
  throw new RefusedError('SVC2104', message, { hint: 'Plan and apply with the same version of svcsync.' })
}
