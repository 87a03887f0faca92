// The file that `globalPrivileges` names: who has a role of the whole installation, as somebody looked it up by hand.
import { resolve } from 'node:path'
import type { GlobalPrivileges } from '@svcsync/core/access/outside.ts'
import { filledText, type ObjectSchema } from '@svcsync/core/model/schema.ts'
import { boundMs } from '@svcsync/core/model/time-bounds.ts'
import { compareProblems, errorAt, type Problem } from '@svcsync/errors/index.ts'
import { liesWithin, shownPath } from '@svcsync/files/paths.ts'
import { itemsIn, placesIn, readDocument, textIn } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import type { Project } from './project.ts'

const schema: ObjectSchema = {
  type: 'object',
  required: ['privileges'],
  properties: {
    privileges: {
      type: 'array',
      description: 'Holders of roles of the whole installation: one item for each account and role.',
      items: {
        type: 'object',
        inLine: true,
        required: ['svcId', 'role', 'source', 'checked'],
        description: 'One account with one role.',
        properties: {
          svcId: filledText('The svcId of the account.', 'jan.kos@example.com'),
          role: filledText('The role, as the installation calls it.', 'System administrator'),
          source: filledText('The place of the look-up.', 'Designer, system settings'),
          checked: filledText('The day of the look-up.', '2026-11-01'),
        },
      },
    },
  },
}

interface ReadGlobalPrivileges {
  /** Undefined: the project names no file, or it cannot be used. */
  readonly global: GlobalPrivileges | undefined
  readonly problems: readonly Problem[]
  readonly source: TextSource | undefined
}

const dayMs = 86_400_000

/** Never throws for its content. */
export function readGlobalPrivileges(
  { dir, globalPrivileges, settings: { timeZone } }: Project,
  nowMs: number,
  displayBase: string,
): ReadGlobalPrivileges {
  if (globalPrivileges === undefined) return { global: undefined, problems: [], source: undefined }
  const { place, maxAgeDays } = globalPrivileges
  const path = resolve(dir, globalPrivileges.file)
  const file = shownPath(path, displayBase)
  const refused = (why: string, hint: string): ReadGlobalPrivileges => ({
    ...{ global: undefined, source: undefined, problems: [errorAt('SVC1333', why, place, hint)] },
  })
  if (!liesWithin(dir, path)) return refused(`\`${file}\` is outside the project`, 'Put it beside the project file.')
  const read = readText(path, file)
  if (!isSource(read)) return { global: undefined, problems: [read], source: undefined }
  const problems: Problem[] = []
  const kind = { root: 'the file of global privileges', begins: '`privileges:`', code: 'SVC1003' } as const
  const root = readDocument(read, path, mappingShapeOf(schema, []), kind, problems)
  const entries = itemsIn(root, 'privileges').flatMap((item) => {
    const placeOf = placesIn(read, item)
    const [svcId, role, source, checked] = ['svcId', 'role', 'source', 'checked'].map((key) => textIn(item, key))
    if (svcId === undefined || role === undefined || source === undefined || checked === undefined) return []
    const atMs = boundMs(checked, false, timeZone)
    if (atMs === undefined || atMs > nowMs) {
      const why = atMs === undefined ? '`checked` is no date' : `\`checked: ${checked}\` is to come`
      problems.push(
        errorAt('SVC1333', why, placeOf('checked'), 'Write the day on which somebody looked, like `2026-11-01`.'),
      )
      return []
    }
    return [{ entry: { svcId, role, source, checked, place: placeOf('svcId') }, atMs }]
  })
  const [oldest] = [...entries].sort((a, b) => a.atMs - b.atMs)
  if (oldest === undefined && problems.length === 0) {
    const hint = 'Name at least the account that set the installation up: an installation always has an administrator.'
    problems.push(errorAt('SVC1333', `\`${file}\` names nobody`, read.placeAt(0), hint))
  }
  const global = oldest && {
    ...{ file, maxAgeDays, checked: oldest.entry.checked },
    isOld: nowMs - oldest.atMs > maxAgeDays * dayMs,
    entries: entries.map(({ entry }) => entry),
  }
  return { global, problems: problems.sort(compareProblems), source: read }
}
