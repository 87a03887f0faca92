// What an installation's OpenAPI document says about the names of the target and the kinds of its manifests, as a check.

import { shellWord } from '../core/guards/shell-option.ts'
import type { Check } from '../core/plan/doctor-report.ts'
import { check } from '../doctor/make-check.ts'
import { SvcsyncError } from '../errors/index.ts'
import { kinds } from '../kinds/index.ts'
import { checkInterface } from '../openapi/check-interface.ts'
import { shownSource } from '../openapi/load-document.ts'
import { formatCount } from '../render/text/counts.ts'
import type { OpenedProject } from '../runs/open/open-project.ts'
import { findNames, isUncertain, tableOf } from './commands/wire-names.ts'
import { optionsOfPlan } from './render-plan.ts'

/** `understood`: keys of what was read with the names of the target, where all could be. */
export async function checkDocument(
  source: string,
  { project, declarations }: OpenedProject,
  { project: file, caFile }: Partial<Record<'project' | 'caFile', string | undefined>>,
  understood: ReadonlySet<string> = new Set(),
): Promise<Check> {
  const { apiVersion, name: target, wireNames } = project.target
  let found: Awaited<ReturnType<typeof findNames>>
  try {
    found = await findNames(source, apiVersion, { caFile })
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return check('interface', 'problem', error.message, { code: error.code, todo: error.hint })
  }
  const { ours, theirs, alignment, operations } = found
  const table = tableOf(alignment)
  const wrong = [
    ...Object.entries(table).filter(([name, real]) => wireNames[name] !== real),
    ...alignment.same.filter((name) => (wireNames[name] ?? name) !== name).map((name) => [name, name] as const),
  ]
  const problem = (what: string, code: string, todo: string, details: readonly string[]): Check =>
    check('interface', 'problem', what, { code, todo, details })
  if (wrong.length > 0) {
    const names = wrong.map(([name, real]) => `\`${name}\` is \`${real}\` there`)
    const made = optionsOfPlan({ project: file, target, caFile, var: {} })
    const command = ['svcsync wire-names', shellWord(shownSource(source)), ...made].join(' ')
    const contradicted = wrong.flatMap(([name]) => (understood.has(name) ? name : []))
    if (contradicted.length > 0) {
      const answered = contradicted.find((name) => (wireNames[name] ?? name) === name)
      const works = answered ? `The platform answers to \`${answered}\`` : 'Reading worked with `wireNames` as they are'
      const what = `${works}, and the document has other names: is this the document of this platform?`
      const todo = `Name the document of this installation. Change no name for this one before \`${command}\` shows that it is the right one.`
      return problem(what, 'SVC3081', todo, names)
    }
    const are = `${formatCount(names.length, 'name')} of the document ${names.length === 1 ? 'is' : 'are'} not`
    const todo = `Run \`${command} --write\`, and doctor again.`
    return problem(`${are} in \`wireNames\`, or others there.`, 'SVC3081', todo, names)
  }
  const words = new Map(alignment.names.map(({ name, real, isWord }) => [`${isWord} ${name}`, real]))
  const real = (name: string, isWord: boolean) => words.get(`${isWord} ${name}`) ?? name
  const lacks = checkInterface(ours, theirs, { kinds, apiVersion, real })
  const declared = new Set(declarations.map(({ kind }) => kind))
  const needed = lacks.filter(({ kind, isNeeded }) => isNeeded && declared.has(kind))
  const open = alignment.open.filter(isUncertain).map(({ name, where }) => `\`${name}\` is not aligned (${where})`)
  const others = kinds.flatMap((kind) => {
    const [first, ...more] = lacks.filter((lack) => lack.kind === kind && !needed.includes(lack))
    if (first === undefined) return []
    const count = more.length === 0 ? '' : `, and ${more.length} more`
    return `${kind.title}${declared.has(kind) ? '' : ', not declared here'}: ${first.what}${count}`
  })
  const details = [...open, ...needed.map(({ kind, what }) => `${kind.title}: ${what}`), ...others]
  const titles = [...new Set(needed.map(({ kind }) => kind.title))].join(', ')
  const all = `${operations.found} of ${operations.known} operations that svcsync knows are in the document`
  if (needed.length > 0) {
    const todo =
      'Ask for another version of the interface (`apiVersion`), or take out of the manifests what cannot be done here.'
    return problem(`${all}. Something is missing for what is declared here: ${titles}.`, 'SVC3080', todo, details)
  }
  if (details.length === 0) return check('interface', 'ok', `${all}, with all that svcsync asks for.`)
  const differs = `${all}. What is declared here has all it needs; other things differ.`
  return check('interface', 'warning', differs, { details })
}
