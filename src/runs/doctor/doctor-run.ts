// A run that tells whether svcsync could work here: reaches the platform, signs in, reads a little, and writes nothing.
import type { Json } from '@svcsync/core/model/json.ts'
import type { TokenAnswer } from '@svcsync/core/model/platform-port.ts'
import type { Check, DoctorReport } from '@svcsync/core/plan/doctor-report.ts'
import { checkApplication, checkSvcIdCase, withoutCopyLines } from '@svcsync/doctor/check-installation.ts'
import { checkManifests, limitToUnderstood, withNeeds } from '@svcsync/doctor/check-manifests.ts'
import { checkAnswers, checkDatabases, checkNames, checkObjects } from '@svcsync/doctor/check-objects.ts'
import { checkPages } from '@svcsync/doctor/check-pages.ts'
import { checkClock, checkReadScopes, checkSecret, checkToken, checkWriteScopes } from '@svcsync/doctor/check-scopes.ts'
import { check, checkOfError, makeReport, notChecked, sentence } from '@svcsync/doctor/make-check.ts'
import { findVariants, suggestKeys } from '@svcsync/doctor/variants-seen.ts'
import {
  byCount,
  compareProblems,
  formatCount,
  InternalError,
  PlatformError,
  type Problem,
  SvcsyncError,
} from '@svcsync/errors/index.ts'
import { concernsOne } from '@svcsync/live/read-object.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { ConnectOptions } from '../open/connect.ts'
import type { OpenedProject } from '../open/open-project.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { readingPort } from '../plan/reading-port.ts'
import { addKeys, inspectInstallation, newLook, privilegesIn } from './doctor-look.ts'
import {
  askForAccess,
  checkFullAccess,
  checkLedger,
  lookAtInstallation,
  wantedToRead,
  wantedToWrite,
} from './doctor-target.ts'

export interface DoctorRunOptions {
  /** `apply`: missing scopes to write are a problem; `plan`: they are not requested. Default: a warning. */
  readonly purpose?: 'plan' | 'apply' | undefined
  /** For `apply`: what is wrong with values that only an apply needs, of a project that was opened without them. */
  readonly ofSecrets?: readonly Problem[]
  /** Names that the document of the installation has as they are: no answer leaves them in doubt. */
  readonly confirmed?: readonly string[] | undefined
  readonly commands?: Parameters<typeof checkManifests>[3]
  /** A further check. `understood`: keys of what was read, in neutral names; none where something could not be read. */
  more?(understood: ReadonlySet<string>): Promise<Check>
  /** Makes a client for the target, or for its other API version. May throw an OperatorError. */
  connect(hooks: Pick<ConnectOptions, 'onEvent' | 'onToken'>, apiVersion?: '5.0' | '6.0'): PlatformClient
}

export function doctorOfUnusable(problems: readonly Problem[], commands?: DoctorRunOptions['commands']): DoctorReport {
  return makeReport({
    target: undefined,
    checks: [checkManifests('project', problems, '', commands)],
    because: 'The project file cannot be used.',
    variants: [],
    requests: 0,
  })
}

/** The further problems of the same project when an apply opens it. */
export function problemsOfSecrets(
  { problems }: Pick<OpenedProject, 'problems'>,
  forApply: Pick<OpenedProject, 'problems'>,
): readonly Problem[] {
  return forApply.problems.filter((each) => !problems.some((known) => compareProblems(known, each) === 0))
}

/** The report contains every trouble. Rejects only for defects of svcsync. */
export async function doctorRun(opened: OpenedProject, options: DoctorRunOptions): Promise<DoctorReport> {
  const { target } = opened.project
  const checks: Check[] = [...projectChecks(opened, options)]
  const ledger = await checkLedger(opened, options.purpose)
  if (ledger !== undefined) checks.push(ledger)
  const tokens: TokenAnswer[] = []
  const privileges: (readonly Json[])[] = []
  const unknownKeys = new Set<string>()
  const keys = new Set<string>()
  let isTokenRefusedEarly = false
  let requests = 0
  let seen = newLook()
  let because = 'svcsync did not get so far.'
  const hooks: Parameters<DoctorRunOptions['connect']>[0] = {
    onToken: (token) => tokens.push(token),
    onEvent: (event) => {
      if (event.kind === 'token-renewed' && event.reason === 'refused') isTokenRefusedEarly = true
    },
  }
  const { name, baseUrl, authUrl, apiVersion, databases } = target
  const shown = { name, baseUrl, authUrl, apiVersion, databases }
  const addMore = async (): Promise<void> => {
    const isUnread = checks.some(
      ({ check: of, result }) => result === 'problem' && (of === 'answers' || of === 'objects'),
    )
    if (options.more !== undefined) checks.push(await options.more(isUnread ? new Set() : keys))
  }
  if (baseUrl === '') {
    await addMore()
    return makeReport({ target: shown, checks, because: 'The project file has errors.', variants: [], requests })
  }
  const clients: PlatformClient[] = []
  const connectTo = (more: typeof hooks, apiVersion?: '5.0' | '6.0'): PlatformClient => {
    const made = options.connect(more, apiVersion)
    clients.push(made)
    return made
  }
  try {
    const client = connectTo(hooks)
    client.conceal(secretsOf(opened))
    const onUnknownKey = (key: string) => unknownKeys.add(key)
    const port = readingPort({ ...client, onUnknownKey }, (_, answer) => {
      addKeys(answer, keys)
      const list = privilegesIn(answer)
      if (list !== undefined) privileges.push(list)
    })
    const access = await askForAccess(client, wantedToRead(opened))
    const scopes = () => new Set(tokens.flatMap((token) => token.scopes))
    checks.push(checkReadScopes({ access, scopes: scopes() }))
    const version = await checkIdentity(port)
    if (tokens[0] !== undefined)
      checks.push(checkSecret(checkToken(tokens[0]), target.clientSecret?.reveal()), checkClock(tokens[0]))
    checks.push(connected(target), ...version.checks)
    if (!version.answers) {
      because = `API ${target.apiVersion} does not answer.`
      checks.push(await otherVersion(connectTo, target.apiVersion))
    } else {
      const readable = new Set(access.filter((each) => each.granted).flatMap(({ kind }) => kind ?? []))
      seen = await inspectInstallation(port, opened, readable)
      checks.push(
        ...lookChecks({ ...seen, unknownKeys, knownNames: client.names, confirmed: options.confirmed }, opened),
      )
      checks.push(await lookAtInstallation(port, opened.project, readable))
      const isWell = checks.every(({ result }) => result !== 'problem')
      const fullAccess = isWell ? await checkFullAccess(client, port, opened) : undefined
      if (fullAccess !== undefined) checks.push(fullAccess)
      checks.push(await writeScopes(client, opened, options, scopes))
    }
  } catch (error) {
    if (!(error instanceof SvcsyncError) || error instanceof InternalError) throw error
    const told = checkOfError(error)
    // A refusal is an answer.
    if (told.check !== 'connection' && error instanceof PlatformError && tokens.length === 0)
      checks.push(connected({ ...target, baseUrl: target.authUrl }))
    checks.push(told)
  } finally {
    for (const made of clients) {
      const stats = made.stats()
      requests += stats.requests + stats.tokenRequests
      await made.close()
    }
  }
  await addMore()
  const limited = limitToUnderstood(checks, splitProblems(opened).ofManifests, opened.desired.length)
  const isTroubled = limited.some((each) => each.check !== 'installation' && each.result === 'problem')
  const [token] = tokens
  return makeReport({
    target: shown,
    checks: isTroubled ? limited.map(withoutCopyLines) : limited,
    because,
    // Without a token, nothing was seen of the platform.
    variants: token === undefined ? [] : findVariants({ ...seen, privileges, unknownKeys, token, isTokenRefusedEarly }),
    requests,
  })
}

function splitProblems({ problems, sources }: Pick<OpenedProject, 'problems' | 'sources'>) {
  const [projectFile = ''] = sources.keys()
  const inProject = ({ place }: Problem): boolean => place === undefined || place.file === projectFile
  return { ofProject: problems.filter(inProject), ofManifests: problems.filter((problem) => !inProject(problem)) }
}

function projectChecks(opened: OpenedProject, { commands, purpose, ofSecrets = [] }: DoctorRunOptions): Check[] {
  const { project, desired, manifests } = opened
  const { ofProject, ofManifests } = splitProblems(opened)
  const count = desired.length
  const declared =
    `${formatCount(count, 'object is', 'objects are')} declared, ` +
    `and nothing is wrong with ${byCount(count, 'it', 'them')} here.`
  const own = checkManifests('manifests', ofManifests, declared, commands)
  return [
    checkManifests('project', ofProject, `The target is ${project.target.name}.`, commands),
    withNeeds(own, manifests.needs, ofSecrets, purpose),
  ]
}

function connected({ baseUrl, authUrl }: OpenedProject['project']['target']): Check {
  const open = [baseUrl, authUrl].some((url) => url.startsWith('http://'))
  const elsewhere = authUrl === baseUrl ? '' : `, and ${authUrl} gives tokens`
  return check('connection', 'ok', `${baseUrl} answers${elsewhere}.${open ? ' The connection is not encrypted.' : ''}`)
}

/** Rejects where something else than the platform answers, or nothing. */
async function checkIdentity(
  port: Pick<PlatformClient, 'send' | 'apiVersion'>,
): Promise<{ readonly answers: boolean; readonly checks: readonly Check[] }> {
  const version = check('api-version', 'ok', `API ${port.apiVersion} answers.`)
  try {
    return { answers: true, checks: [version, checkApplication(await port.send({ method: 'GET', path: '/me' }))] }
  } catch (error) {
    if (!concernsOne(error)) throw error
    if (error.status === 404) return { answers: false, checks: [] }
    if (error.status !== 403 && error.status !== 405) throw error
    const { message, code, hint } = error
    return {
      answers: true,
      checks: [version, check('application', 'warning', sentence(message), { code, todo: hint })],
    }
  }
}

async function otherVersion(connectTo: DoctorRunOptions['connect'], configured: '5.0' | '6.0'): Promise<Check> {
  const other = configured === '6.0' ? '5.0' : '6.0'
  const { answers } = await checkIdentity(connectTo({}, other))
  return check('api-version', 'problem', `API ${configured} does not answer${answers ? `, and ${other} does` : ''}.`, {
    code: 'SVC3031',
    todo: answers
      ? `Write \`apiVersion: "${other}"\` into the target.`
      : 'Check `baseUrl`: it is the address before /api/data.',
  })
}

function lookChecks(
  seen: ReturnType<typeof newLook> & { readonly unknownKeys: ReadonlySet<string> } & {
    readonly knownNames: PlatformClient['names']
    readonly confirmed: DoctorRunOptions['confirmed']
  },
  { project }: OpenedProject,
): Check[] {
  const advice = [...seen.lists.values()].map(suggestKeys).find((key) => key !== undefined)
  return [
    checkDatabases(seen.databases),
    checkNames(seen.names, seen.databases.missing),
    checkObjects(seen.read, seen.failures, seen.lacking),
    checkAnswers(seen, advice),
    checkPages(seen.pages),
    checkSvcIdCase(seen.svcIdCase, project.target.svcIds),
  ]
}

/** Last, so that every read was made with a token that cannot write. */
async function writeScopes(
  client: PlatformClient,
  opened: OpenedProject,
  { purpose }: DoctorRunOptions,
  scopes: () => ReadonlySet<string>,
): Promise<Check> {
  if (purpose === 'plan') return notChecked('scopes-to-write', 'A plan needs none: svcsync did not ask for them.')
  const access = await askForAccess(client, wantedToWrite(opened))
  return checkWriteScopes({ access, scopes: scopes() }, purpose === 'apply')
}
