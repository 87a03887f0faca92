// Checks that the declared objects can be found, read and understood.

import { formatMet, withoutSettledDoubts } from '@svcsync/core/model/doubts.ts'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind, LivePart } from '@svcsync/core/model/kind.ts'
import type { KnownNames } from '@svcsync/core/model/known-names.ts'
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import { isWireName } from '@svcsync/core/model/wire-name.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { byCount, failureCodes, formatCount, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { check, notChecked } from './make-check.ts'

/** An object that could not be read, with the reason. */
interface UnreadObject {
  readonly what: string
  readonly message: string
  readonly code: string
  readonly hint: string | undefined
}

const shown = 20

export function checkDatabases(seen: {
  readonly found: readonly string[]
  readonly missing: readonly string[]
  readonly unknown: readonly string[]
}): Check {
  const { found, missing, unknown } = seen
  if (missing.length > 0) {
    return check('databases', 'problem', `The platform has no database ${missing.join(', ')}.`, {
      code: 'SVC2041',
      todo: 'Correct the number under `databases` of the target.',
      details: found.map((label) => `${label} is there`),
    })
  }
  if (found.length === 0)
    return notChecked('databases', 'Nothing that is declared and may be read shows whether they are there.')
  const rest =
    unknown.length === 0
      ? ''
      : ` Nothing shows whether ${unknown.join(', ')} ${byCount(unknown.length, 'is', 'are')} there.`
  return check('databases', unknown.length === 0 ? 'ok' : 'warning', `There: ${found.join(', ')}.${rest}`)
}

interface NameLookup {
  /** Declarations by name. */
  readonly looked: number
  /** Objects in missing databases, which were not looked up. */
  readonly left: number
  /** Problems of names only. */
  readonly problems: readonly Problem[]
}

/** `missing`: databases that the platform does not have. */
export function checkNames(names: NameLookup | undefined, missing: readonly string[]): Check {
  if (names === undefined) return notChecked('names', 'They could not be looked up.')
  const because = `the platform has no database ${missing.join(', ')}`
  if (names.looked === 0) {
    return notChecked(
      'names',
      names.left === 0
        ? 'No manifest names anything that has to be looked up, or the application may not read it.'
        : `They could not be looked up: ${because}.`,
    )
  }
  const rest = names.left === 0 ? '' : `, but for ${names.left} not looked up: ${because}`
  const wrong = names.problems.filter(({ severity }) => severity === 'error')
  if (wrong.length === 0) {
    return check(
      'names',
      'ok',
      `The platform has the declared applications, processes, workflows, form types and business entities${rest}.`,
    )
  }
  return check(
    'names',
    'problem',
    `${formatCount(wrong.length, 'name leads', 'names lead')} nowhere on the platform.`,
    {
      code: wrong[0]?.code,
      todo: 'Correct the names, or check that the application may see these objects.',
      details: cut(
        wrong.map(({ message, place }) => `${place === undefined ? '' : `${formatPlace(place)} `}${message}`),
      ),
    },
  )
}

const ofShape: readonly string[] = [
  failureCodes.listMissing,
  failureCodes.otherShape,
  failureCodes.notJson,
  failureCodes.cutShort,
  failureCodes.endlessList,
  failureCodes.noIdentity,
]

/** `read`: how many lists and objects were. */
export function checkObjects(read: number, failures: readonly UnreadObject[], lacking: readonly string[]): Check {
  const refused = failures.filter(({ code }) => !ofShape.includes(code))
  if (refused.length > 0) {
    return check('objects', 'problem', `svcsync could not read ${formatCount(refused.length, 'declared object')}.`, {
      code: refused[0]?.code,
      todo: refused.find(({ hint }) => hint !== undefined)?.hint ?? adviceOn(refused[0]?.code),
      details: cut(refused.map(({ what, message }) => `${what}: ${message}`)),
    })
  }
  if (lacking.length > 0) {
    const what = lacking.map((title) => title.toLowerCase()).join(' and no ')
    return check(
      'objects',
      'warning',
      `The installation says that it has no ${what}: svcsync skips the declared ones.`,
      {
        code: 'SVC1338',
        todo: 'Declare them in files that only targets with them read.',
      },
    )
  }
  if (read === 0) return notChecked('objects', 'Nothing was to be read.')
  return check(
    'objects',
    'ok',
    `svcsync read ${formatCount(read, 'list or object', 'lists and objects')}, some of each kind that is declared.`,
  )
}

/** Advice for answers that gave none themselves. */
function adviceOn(code: string | undefined): string {
  return code === failureCodes.rejected
    ? 'Read what the platform says. If it does not know a name, the installation may use another: ' +
        '`doctor --openapi` finds it in the document of the installation, for `wireNames` of the target.'
    : "Check the application's permissions on these objects."
}

interface ReadAnswers {
  readonly read: number
  readonly failures: readonly UnreadObject[]
  readonly misread: readonly string[]
  readonly unknownKeys: ReadonlySet<string>
  readonly doubtful: readonly { readonly kind: Kind; readonly part: LivePart }[]
  readonly knownNames?: KnownNames | undefined
  /** By the document of the installation, which a plan does not read. */
  readonly confirmed?: readonly string[] | undefined
}

/** `advice`: the installation's probable name for `svcId`. */
export function checkAnswers(seen: ReadAnswers, advice: string | undefined): Check {
  const { read, failures, misread, unknownKeys } = seen
  const wrong = failures.filter(({ code }) => ofShape.includes(code))
  const details = [...misread, ...wrong.map(({ what, message }) => `${what}: ${message}`)]
  if (details.length > 0) {
    const todo =
      advice === undefined
        ? 'Check `apiVersion` and `wireNames` of the target.'
        : 'This installation uses other names: ' +
          `write \`wireNames: { svcId: ${advice} }\` into the target, and check for more.`
    return check('answers', 'problem', 'Answers have not the documented shape.', {
      code: wrong[0]?.code ?? failureCodes.otherShape,
      todo,
      details: cut(details),
    })
  }
  const { doubts, wireNames, confirmed } = formatDoubts(seen)
  if (doubts.length > 0) {
    const names = 'Fields may have other names here, and cannot be compared.'
    return check('answers', wireNames.size > 0 ? 'problem' : 'warning', names, {
      code: 'SVC1350',
      todo:
        wireNames.size > 0
          ? `If those are the names here, write \`wireNames: { ${[...wireNames].join(', ')} }\` into the target; ` +
            'a name that is as documented is written with itself.'
          : 'Write the name that the documentation has for each word into `wireNames` of the target, ' +
            'or the word with itself if it is new.',
      details: cut(doubts),
    })
  }
  if (confirmed.size > 0) {
    const lines = [...confirmed].map((name) => `${name}: ${name}`).join(', ')
    const what =
      'Only the document tells that names are as documented; no answer shows them, and a plan does not read it.'
    const todo = `Write \`wireNames: { ${lines} }\` into the target, as \`svcsync wire-names DOCUMENT --write\` does.`
    return check('answers', 'warning', what, { code: 'SVC1350', todo })
  }
  if (read === 0) return notChecked('answers', 'Nothing was read.')
  if (unknownKeys.size === 0) return check('answers', 'ok', 'Answers have the documented keys.')
  const also = cut([...unknownKeys].sort()).join(', ')
  const found =
    'Answers have the documented keys. ' +
    `They also tell what svcsync does not know, and compares and sends nowhere but under \`extra\`: ${also}.`
  return check('answers', 'ok', found)
}

/** One line for each name of a kind, with what may be its name here. */
function formatDoubts({ doubtful, knownNames, confirmed: named = [] }: ReadAnswers) {
  const found = new Map<string, { readonly shown: string; readonly met: Set<string>; readonly objects: Set<string> }>()
  const wireNames = new Set<string>()
  const confirmed = new Set<string>()
  for (const { kind, part } of doubtful) {
    for (const { path, name, isWord, met } of withoutSettledDoubts(part, kind, knownNames).doubted ?? []) {
      if (named.includes(name)) {
        confirmed.add(name)
        continue
      }
      const title = kind.title.toLowerCase()
      const shown = isWord ? `\`${path.at(-1)}\` of` : `\`${name}\` of`
      const entry = getOrInsert(found, `${shown} ${title} ${isWord ? met.join() : ''}`, () => ({
        ...{ shown: `${shown} ${title}`, met: new Set<string>(), objects: new Set<string>() },
      }))
      entry.objects.add(part.name)
      for (const each of met) entry.met.add(each)
      const likely = met.find(isWireName)
      if (!isWord) wireNames.add(`${name}: ${likely ?? '…'}`)
    }
  }
  const doubts = [...found.values()].map(({ shown, met, objects }) => {
    return `${shown}, ${objects.size}: ${formatMet(met)} is there, which svcsync does not know`
  })
  return { doubts, wireNames, confirmed }
}

const cut = (lines: readonly string[]): readonly string[] => cutLines(lines, shown)
