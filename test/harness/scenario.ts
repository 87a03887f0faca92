// A scenario: a folder with manifests, the live state they meet, and what must come of it.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { DifferenceDocument, PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { AuthorError, formatPlace, type Place, RefusedError } from '../../src/errors/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { openWorkspace, type Workspace } from './workspace.ts'
import { writeLines, writesOf } from './write-log.ts'

/** `scenario.yaml` in the folder. */
export interface ScenarioFile {
  /** The purpose, in one sentence. */
  readonly about: string
  /** The folder below `examples` that has the manifests and the tenant. Default: the scenario's own. */
  readonly example?: string
  /**
   * It shows who gains and who loses what: that stands in the expected plan, as people read it too, instead of changes
   * and steps.
   */
  readonly shows?: 'access'
  readonly env?: Readonly<Record<string, string>>
  /** More keys of the target. */
  readonly target?: Readonly<Record<string, unknown>>
  /** More keys of the project file. */
  readonly project?: Readonly<Record<string, unknown>>
  readonly faults?: readonly Fault[]
  /** Allowances for guards: `deletions=3`. */
  readonly allow?: readonly string[]
  /** The origin of the folder `base`, which holds the former manifests. Default: a folder. */
  readonly base?: 'ledger' | 'folder'
  /** The plan after the apply. Default: nothing. */
  readonly again?: readonly string[]
}

export const scenariosDir = join(import.meta.dirname, '../scenarios')

export function scenarioNames(): string[] {
  const entries = readdirSync(scenariosDir, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

export function readScenario(name: string): ScenarioFile {
  return parse(readFileSync(join(scenariosDir, name, 'scenario.yaml'), 'utf8')) as ScenarioFile
}

export async function openScenario(name: string, scenario: ScenarioFile): Promise<Workspace> {
  const { example } = scenario
  const dir = example === undefined ? join(scenariosDir, name) : join(scenariosDir, '../../examples', example)
  const project = { settings: { concurrency: 1, retry: { maxDelay: '20ms' } }, ...scenario.project }
  const workspace = await openWorkspace({
    tenantFile: join(dir, 'tenant.yaml'),
    ...(scenario.env && { env: scenario.env }),
    settings: stringify(project),
    target: scenario.target === undefined ? '' : stringify(scenario.target).replace(/^/gm, '    '),
  })
  for (const folder of ['manifests', 'policies']) {
    if (existsSync(join(dir, folder))) cpSync(join(dir, folder), join(workspace.dir, folder), { recursive: true })
  }
  if (hasBase(name)) {
    workspace.baseManifest('')
    cpSync(join(dir, 'base'), join(workspace.dir, 'base/manifests'), { recursive: true })
  }
  for (const fault of scenario.faults ?? []) workspace.emulator.addFault(fault)
  return workspace
}

/** Plans; what is wrong with the manifests takes the place of the plan. */
export async function planOf(workspace: Workspace, scenario: Partial<ScenarioFile> = {}): Promise<object> {
  try {
    const { document } = await workspace.plan(runOf(workspace, scenario))
    return scenario.shows === 'access' ? accessPlan(document) : readablePlan(document)
  } catch (error) {
    if (!(error instanceof AuthorError)) throw error
    const problems = error.problems.map(({ place, related: _, ...rest }) => ({ ...rest, place: placeText(place) }))
    return { refused: problems }
  }
}

function accessPlan(document: PlanDocument): object {
  const sections = renderPlanText(document, { colour: false, width: 100 }).split('\n\n')
  const text = sections.filter((section) => /^(?:Refused|Access|Guards)/.test(section))
  return { text: text.flatMap((section) => section.trimEnd().split('\n')), access: document.access }
}

/** The document without times, the target, and places that say no more than others do. */
function readablePlan(document: PlanDocument): object {
  const { counts, changes, steps, unreadable, unverifiable, warnings } = document
  // Passed guards say the same everywhere.
  const guards = document.guards.filter(({ verdict }) => verdict !== 'passed')
  const { base, noLongerDeclared = [] } = document
  const difference = ({ place, ...rest }: DifferenceDocument) => ({ ...rest, place: placeText(place) })
  return {
    counts,
    changes: changes.map(({ place: _, digest: ____, differences, ...change }) => ({
      ...change,
      differences: differences.map(difference),
    })),
    steps: steps.map(({ at: _, kind: __, liveDigest: ___, ...step }) => step),
    ...(base && {
      noLongerDeclared: noLongerDeclared.map(({ place, ...rest }) => ({ ...rest, place: placeText(place) })),
    }),
    unreadable,
    unverifiable,
    ...(document.prune?.kept.length && { kept: document.prune.kept }),
    ...(guards.length > 0 && { guards }),
    warnings: warnings.map(({ place, ...rest }) => ({ ...rest, place: placeText(place) })),
  }
}

function placeText(place: Place | undefined): string | undefined {
  return place && formatPlace(place).replace(/:\d+$/, '')
}

export function hasBase(name: string): boolean {
  return existsSync(join(scenariosDir, name, 'base'))
}

/** The next plan, when what was applied has become the base. */
export async function onceApplied({ dir, plan }: Workspace) {
  cpSync(join(dir, 'manifests'), join(dir, 'base/manifests'), { recursive: true })
  const { changes, noLongerDeclared } = (await plan({ base: 'ledger' })).document
  return { changes, noLongerDeclared }
}

function runOf({ dir }: Workspace, { allow = [], base }: Partial<ScenarioFile>) {
  return { allow, base: existsSync(join(dir, 'base')) ? (base ?? 'folder') : undefined }
}

/** Applies, or says why a guard refused it. */
export async function applyOf(workspace: Workspace, scenario: ScenarioFile): Promise<object> {
  try {
    return outcomeOf(await workspace.apply({ ...runOf(workspace, scenario), guarded: true }), workspace)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const { message, reasons, options } = error
    return { refused: message, reasons, options, requests: writeLines(writesOf(workspace.emulator)) }
  }
}

/** The apply's report, and the writes that the platform saw. */
function outcomeOf(report: ApplyReport, workspace: Workspace): object {
  const { outcome, counts, verified, steps } = report
  const notable = steps.filter((step) => step.outcome !== 'done')
  return {
    outcome,
    counts,
    verified: {
      equal: verified.equal,
      unequal: verified.unequal.map(({ address, reason, differences }) => ({
        address,
        reason,
        differences: differences.map(({ path }) => path),
      })),
    },
    ...(notable.length > 0 && {
      notDone: notable.map(({ id, address, verb, outcome, reason, because }) => ({
        id,
        address,
        verb,
        outcome,
        reason,
        because,
      })),
    }),
    requests: writeLines(writesOf(workspace.emulator)),
  }
}

/** The expected file's content; with UPDATE_SCENARIOS it becomes what was found. */
export function expectedFile(name: string, file: string, found: object): unknown {
  const path = join(scenariosDir, name, file)
  if (process.env.UPDATE_SCENARIOS) writeFileSync(path, `${JSON.stringify(found, undefined, 2)}\n`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
