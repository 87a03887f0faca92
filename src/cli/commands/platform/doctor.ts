// `svcsync doctor`: whether svcsync could work here, and what to do where it could not.
import { env } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { check } from '@svcsync/doctor/make-check.ts'
import { SvcsyncError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { alignNames } from '@svcsync/openapi/align-names.ts'
import { checkInterface, namesUsed } from '@svcsync/openapi/check-interface.ts'
import { shownSource } from '@svcsync/openapi/load-document.ts'
import type { Target } from '@svcsync/project/project.ts'
import { renderDoctorText } from '@svcsync/render/report/render-doctor-text.ts'
import { renderDoctorJson } from '@svcsync/render/report/render-json.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import { doctorOfUnusable, doctorRun, problemsOfSecrets } from '@svcsync/runs/doctor/doctor-run.ts'
import { connect } from '@svcsync/runs/open/connect.ts'
import { type OpenedProject, openProject, readProject } from '@svcsync/runs/open/open-project.ts'
import { openOptions } from '../../planning/open-for-command.ts'
import { optionsOfPlan } from '../../planning/render-plan.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { overTargets, SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { noteClientEvent, noteProject } from '../../terminal/notes.ts'
import { version } from '../../version.ts'
import type { doctor } from '../platform.ts'
import { confirmedBy, findNames, isUncertain, tableOf } from './wire-names.ts'

type DoctorOptions = Omit<Values<typeof doctor>, keyof typeof overTargets> & Pick<SharedOptions, 'target' | 'shared'>

/** People call the doctor when something is wrong, so it does not retry five times. */
const attempts = 2

export async function doctorCommand(options: DoctorOptions, console: Console) {
  const report = await runDoctor(options, console)
  await console.result(
    options.format === 'json' ? renderDoctorJson(report) : renderDoctorText(report, { ...console, ...options }),
  )
  return report.result === 'problem' ? exitCodes.error : exitCodes.done
}

async function runDoctor(options: DoctorOptions, console: Console) {
  const { caFile, project, target, var: variables } = options
  const shown = { ...options, baseUrl: safeAddress(options.baseUrl), authUrl: safeAddress(options.authUrl) }
  const commands = {
    plan: ['svcsync plan', ...optionsOfPlan(shown)].join(' '),
    validate: ['svcsync validate', ...optionsOfPlan({ project, target, var: variables })].join(' '),
  }
  try {
    const opened = openProject({ ...openOptions(options), needSecrets: false })
    noteProject(opened.project.file, options, console)
    const { settings, target: chosen } = opened.project
    const retry = { ...settings.retry, attempts: Math.min(attempts, settings.retry.attempts) }
    const { openapi } = options
    const document = openapi === undefined ? undefined : await readDocument(openapi, chosen, caFile)
    const whole = options.verbose === true || options.format === 'json'
    return await doctorRun(opened, {
      commands,
      ...(openapi !== undefined && {
        more: (understood) => checkDocument(openapi, opened, { project, caFile, whole, document }, understood),
      }),
      confirmed: document && confirmedFor(document, chosen),
      purpose: options.for,
      ofSecrets:
        options.for === 'apply'
          ? problemsOfSecrets(opened, readProject({ ...openOptions(options), needSecrets: true }))
          : [],
      connect: ({ onEvent, onToken }, apiVersion = chosen.apiVersion) =>
        connect(
          { ...opened.project, target: { ...chosen, apiVersion }, settings: { ...settings, retry } },
          {
            ...{ version, env, caFile, onToken },
            onEvent: (event) => {
              onEvent?.(event)
              noteClientEvent(event, console, options.verbose ?? false)
            },
          },
        ),
    })
  } catch (error) {
    if (error instanceof UnusableFiles) return doctorOfUnusable(error.problems, commands)
    throw error
  }
}

/** The address may contain credentials until it is checked; such an address is not shown. */
const safeAddress = (address: string | undefined): string | undefined =>
  address === undefined || /[@?#\\]/.test(address) ? undefined : address

type DocumentNames = Awaited<ReturnType<typeof findNames>>

interface DocumentOptions extends Partial<Record<'project' | 'caFile', string | undefined>> {
  readonly document?: ReadDocument | undefined
  readonly whole?: boolean
}

type ReadDocument = DocumentNames | SvcsyncError

async function readDocument(
  source: string,
  { apiVersion }: Pick<Target, 'apiVersion'>,
  caFile?: string | undefined,
): Promise<ReadDocument> {
  try {
    return await findNames(source, apiVersion, { caFile })
  } catch (error) {
    if (error instanceof SvcsyncError) return error
    throw error
  }
}

/** Names out of doubt. A document that contradicts the target may be another one's, and confirms none. */
function confirmedFor(document: ReadDocument, { wireNames }: Pick<Target, 'wireNames'>): readonly string[] {
  if (document instanceof SvcsyncError || wrongNames(document, wireNames).length > 0) return []
  return confirmedBy(document.alignment)
}

function wrongNames({ alignment }: DocumentNames, wireNames: Target['wireNames']) {
  return [
    ...Object.entries(tableOf(alignment)).filter(([name, real]) => wireNames[name] !== real),
    ...alignment.same.filter((name) => (wireNames[name] ?? name) !== name).map((name) => [name, name] as const),
  ]
}

/** `understood`: keys of what was read with the names of the target, where all could be. */
export async function checkDocument(
  source: string,
  { project, desired }: Pick<OpenedProject, 'project' | 'desired'>,
  { project: file, caFile, whole = false, document }: DocumentOptions,
  understood: ReadonlySet<string> = new Set(),
): Promise<Check> {
  const { apiVersion, name: target, wireNames } = project.target
  const found = document ?? (await readDocument(source, project.target, caFile))
  if (found instanceof SvcsyncError)
    return check('interface', 'problem', found.message, { code: found.code, todo: found.hint })
  const wrong = wrongNames(found, wireNames)
  const problem = (what: string, todo: string, details: readonly string[]): Check =>
    check('interface', 'problem', what, { code: 'SVC3081', todo, details })
  if (wrong.length > 0) {
    const names = wrong.map(([name, real]) => `\`${name}\` is \`${real}\` there`)
    const made = optionsOfPlan({ project: file, target, caFile, var: {} })
    const command = ['svcsync wire-names', shellWord(shownSource(source)), ...made].join(' ')
    const contradicted = wrong.flatMap(([name]) => (understood.has(name) ? name : []))
    if (contradicted.length > 0) {
      const answered = contradicted.find((name) => (wireNames[name] ?? name) === name)
      const works = answered ? `The platform answers to \`${answered}\`` : 'Reading worked with `wireNames` as they are'
      const what = `${works}, and the document has other names: is this the document of this platform?`
      const todo = `Name the document of this installation. Check it with \`${command}\` before you change a name.`
      return problem(what, todo, names)
    }
    const are = `${formatCount(names.length, 'name')} of the document ${byCount(names.length, 'is', 'are')} not`
    const todo = `Run \`${command} --write\`, and doctor again.`
    return problem(`${are} in \`wireNames\`, or others there.`, todo, names)
  }
  return documentCheck(found, { apiVersion, wireNames, desired, whole })
}

interface DocumentScope extends Pick<Target, 'apiVersion' | 'wireNames'> {
  readonly desired: readonly Desired[]
  readonly whole: boolean
}

/** Judges a document that has the target's names: the declared parts, and with `whole` the others, one by one. */
function documentCheck(found: DocumentNames, { apiVersion, wireNames, desired, whole }: DocumentScope): Check {
  const { ours, theirs, operations } = found
  // The target decides if the document leaves a name open.
  const alignment = alignNames(ours, theirs, wireNames)
  const words = new Map(alignment.names.map(({ name, real, isWord }) => [`${isWord} ${name}`, real]))
  const real = (name: string, isWord: boolean) => wireNames[name] ?? words.get(`${isWord} ${name}`) ?? name
  const lacks = checkInterface(ours, theirs, { kinds, apiVersion, real, declared: desired })
  const declared = new Set(desired.map(({ kind }) => kind))
  const used = namesUsed(desired)
  const openWhere = (isMeant: boolean): readonly string[] =>
    alignment.open.filter(isUncertain).flatMap(({ name, isWord, where }) => {
      const isUsed = isWord ? used.words.has(name) : name === 'svcId' || used.keys.has(name)
      return isUsed === isMeant ? [`\`${name}\` is not aligned (${where})`] : []
    })
  const lackWhere = (isMeant: boolean): readonly string[] =>
    lacks.flatMap(({ kind, what, isNeeded }) =>
      isNeeded === isMeant ? [`${kind.title}${declared.has(kind) ? '' : ', not declared here'}: ${what}`] : [],
    )
  const [open, needed] = [openWhere(true), lackWhere(true)]
  const others = [...openWhere(false), ...lackWhere(false)]
  const sayOthers =
    `${formatCount(others.length, 'other thing')} ` +
    `${byCount(others.length, 'differs', 'differ')} that nothing declared here asks for`
  const rest = others.length > 0 && !whole ? [`${sayOthers}: \`--verbose\` lists them`] : others
  const all = `${operations.found} of ${operations.known} operations that svcsync knows are in the document`
  if (needed.length > 0) {
    const titles = new Set(lacks.flatMap(({ kind, isNeeded }) => (isNeeded ? kind.title : [])))
    return check(
      'interface',
      'problem',
      `${all}. The manifests need operations that it lacks: ${[...titles].join(', ')}.`,
      {
        code: 'SVC3080',
        todo: 'Set another version of the interface (`apiVersion`), or remove what needs them from the manifests.',
        details: [...open, ...needed, ...rest],
      },
    )
  }
  if (open.length > 0)
    return check('interface', 'warning', `${all}. Not every name is certain.`, {
      todo: 'If you know its name there, run `svcsync wire-names --name DOCUMENTED=REAL --write`.',
      details: [...open, ...rest],
    })
  if (others.length === 0) return check('interface', 'ok', `${all}, with all that svcsync asks for.`)
  const fits = `${all}, with all that is declared here. ${sayOthers}${whole ? '.' : ': `--verbose` lists them.'}`
  return check('interface', 'ok', fits, whole ? { details: others } : {})
}
