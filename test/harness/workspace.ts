// A project in a folder of its own against an embedded platform of its own: what most tests work with.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Dispatcher, request } from 'undici'
import type { ApplyEvent } from '../../src/apply/apply-event.ts'
import { parseAllowance } from '../../src/core/guards/allowances.ts'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts'
import type { Exported } from '../../src/export/export-files.ts'
import type { Extent } from '../../src/export/fitting.ts'
import { kinds } from '../../src/kinds/index.ts'
import { exportRun } from '../../src/runs/export/export-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { type Base, openBase } from '../../src/runs/open/open-base.ts'
import { type OpenedProject, type OpenOptions, openProject } from '../../src/runs/open/open-project.ts'
import { policyGuards, withPolicies } from '../../src/runs/open/with-policies.ts'
import { type ApplyRunOptions, applyRun } from '../../src/runs/plan/apply-run.ts'
import { type PlanRun, type PlanRunOptions, planRun } from '../../src/runs/plan/plan-run.ts'
import { breachesOf } from './interface-check.ts'

export interface Workspace {
  readonly dir: string
  readonly emulator: Emulator
  readonly env: Readonly<Record<string, string>>
  /** Writes a file below the project's folder. */
  write(file: string, text: string): void
  /** Replaces all manifests by one. */
  manifest(text: string): void
  /** The former declarations, by one manifest: runs with `base` compare their plan with it. */
  baseManifest(text: string): void
  open(options?: RunOptions): OpenedProject
  /** The former declarations, if the options say so. */
  base(opened: OpenedProject, options: RunOptions): Base | undefined
  plan(options?: RunOptions): Promise<PlanRun>
  /** Plans and applies. */
  apply(options?: RunOptions): Promise<ApplyReport>
  /** The same, with the plan that was applied. */
  run(options?: RunOptions): Promise<{ readonly planned: PlanRun; readonly report: ApplyReport }>
  /** The live objects as manifests. */
  export(options?: ExportRun): Promise<Exported>
  /** Addresses and actions of what a plan would change, as `update user/a@example.com`. */
  changes(options?: RunOptions): Promise<readonly string[]>
  /** Speaks to the emulator's control endpoint. */
  control(method: string, path: string, body?: unknown): Promise<unknown>
  close(): Promise<void>
}

/** The answer of a ledger about projects in folders. null: about nothing. */
export interface LedgerOfFolders {
  readonly applied: string | null
  readonly at?: string | undefined
  readonly begun?: readonly (Omit<BegunCommit, 'commit'> & { readonly folder: string | null })[]
}

const commitOfFolder = <Folder extends string | null>(folder: Folder) =>
  (folder && Buffer.from(folder).toString('hex').padEnd(40, '0')) as Folder

export interface RunOptions {
  readonly only?: readonly string[]
  /** Allowances for guards: `deletions=3`. */
  readonly allow?: readonly string[]
  /**
   * Guards may refuse the apply: left out, they are asked, and everything they find is let pass. `as-allowed`:
   * everything that could be allowed is.
   */
  readonly guarded?: boolean | 'as-allowed'
  readonly stop?: AbortSignal
  readonly concurrency?: number
  /** The injected clock; the beginning of 2026 otherwise. */
  readonly nowMs?: number
  readonly onEvent?: (event: ApplyEvent) => void
  readonly ledger?: ApplyRunOptions['ledger']
  /** The clock of the machine, which may be set while the run goes on. */
  readonly clock?: () => number
  /** The tool's version; otherwise `test`. */
  readonly version?: string
  readonly createdAt?: string
  /** Counts what no manifest declares. */
  readonly unmanaged?: { readonly everywhere: boolean }
  /** Checks the licences of accounts that gain access. */
  readonly licences?: boolean
  /** Variables that are not set, in a run that writes nothing. */
  readonly without?: readonly string[]
  /** See OpenOptions; false where something is not set. */
  readonly needSecrets?: boolean
  /** Whose credentials are sent anew. */
  readonly rotate?: readonly string[]
  /** The plan is held against the project in the folder `base`, as if it came from there. */
  readonly base?: 'ledger' | 'folder' | LedgerOfFolders | undefined
  /** Only what is due is planned. */
  readonly due?: PlanRunOptions['due']
  /** How long a request waits for its answer. */
  readonly timeoutMs?: number | undefined
}

export interface ExportRun extends RunOptions {
  /** Default: as of the command. */
  readonly extent?: Extent
  /** Only what the manifests do not declare, for files beside them. */
  readonly missing?: boolean
  readonly entities?: boolean
}

export interface WorkspaceOptions extends EmulatorOptions {
  /** More lines of the project file. */
  readonly settings?: string
  /** More lines of the target. */
  readonly target?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the emulator on any free port, and makes a project whose one target is it. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { settings = '', target = '', env = {}, ...emulatorOptions } = options
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  const breaches = new Set<string>()
  const emulator = await startEmulator({
    // Each sort of them once: thousands of answers of one run are alike.
    onExchange: (exchange) => {
      if (breaches.size < 20) for (const breach of breachesOf(exchange)) breaches.add(breach)
    },
    ...emulatorOptions,
  })
  const environment = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', ...env }
  const write = (file: string, text: string): void => {
    const path = join(dir, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  write(
    'svcsync.yaml',
    `version: 1
manifests: [manifests]
target: test
targets:
  test:
    baseUrl: ${emulator.url}
    clientId: "\${env:SVCSYNC_CLIENT_ID}"
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1 }
${target}
${settings}
`,
  )
  write('manifests/main.yaml', '')
  const optionsOf = (run: RunOptions): OpenOptions => ({
    project: join(dir, 'svcsync.yaml'),
    cwd: dir,
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => !run.without?.includes(name))),
    kinds,
    needCredentials: true,
    needSecrets: run.needSecrets ?? run.without === undefined,
    nowMs: run.nowMs ?? Date.parse('2026-01-01T00:00:00Z'),
    concurrency: run.concurrency,
  })
  const open = (run: RunOptions = {}): OpenedProject => openProject(optionsOf(run))
  const baseOf = (opened: OpenedProject, run: RunOptions): Base | undefined => {
    if (run.base === undefined) return undefined
    // As a commit is read: a file that says the same as today, or as in another commit, gives the very same
    // declarations.
    const textIn = (folder: string) =>
      ['main.yaml', 'own/main.yaml']
        .map((file) => join(dir, folder, 'manifests', file))
        .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
        .join('\n')
    const known = new Map<string, Base['read']>()
    const inFolder = (folder: string | null): Base['read'] => {
      if (folder === null) return { ...opened, declarations: [], problems: [] }
      const text = textIn(folder)
      const same = text === textIn('.') ? { ...opened, problems: [] } : known.get(text)
      const read = same ?? openBase({ ref: `./${folder}` }, opened, optionsOf(run)).read
      known.set(text, read)
      return read
    }
    if (typeof run.base === 'object') {
      const { applied, at, begun = [] } = run.base
      const commit = commitOfFolder(applied)
      const sides = begun.map(({ folder, ...side }) => ({
        ...side,
        commit: commitOfFolder(folder),
        read: inFolder(folder),
      }))
      const besides = sides.length > 0 && { begun: sides }
      return { ref: commit ?? 'nothing', commit, from: 'ledger', at, read: inFolder(applied), ...besides }
    }
    const base = openBase({ ref: './base' }, opened, optionsOf(run))
    const applied = { ref: 'refs/svcsync/applied/test', commit: '0123456789abcdef0123456789abcdef01234567' }
    return run.base === 'ledger' ? { ...base, ...applied, from: 'ledger' } : base
  }
  const withClient = async <T>(
    run: (opened: OpenedProject, client: ReturnType<typeof connect>) => Promise<T>,
    options: RunOptions,
  ): Promise<T> => {
    const opened = await withPolicies(open(options))
    const client = connect(opened.project, {
      version: 'test',
      env: {},
      timeoutMs: options.timeoutMs,
      clock: options.clock,
    })
    try {
      return await run(opened, client)
    } finally {
      await client.close()
    }
  }
  const planWith = async (
    opened: OpenedProject,
    client: ReturnType<typeof connect>,
    run: RunOptions,
  ): Promise<PlanRun> => {
    const planned = await planRun(opened, client, {
      only: run.only ?? [],
      allow: (run.allow ?? []).map((text) => parseAllowance(text, policyGuards(opened))),
      version: run.version ?? 'test',
      createdAt: run.createdAt ?? '2026-01-01T00:00:00.000Z',
      unmanaged: run.unmanaged,
      licences: run.licences,
      rotate: run.rotate,
      base: baseOf(opened, run),
      due: run.due,
    })
    const { refused = [] } = planned.plan.due ?? {}
    const more = refused.flatMap(({ verdicts }) => verdicts.flatMap(({ allow }) => allow ?? []))
    // Allows also due changes that guards would leave out, unless a test asks the guards.
    if (run.guarded !== undefined || more.length === 0) return planned
    return planWith(opened, client, { ...run, allow: [...(run.allow ?? []), ...more] })
  }

  const plan = (run: RunOptions = {}) => withClient((opened, client) => planWith(opened, client, run), run)
  const runWith = (run: RunOptions = {}) =>
    withClient(async (opened, client) => {
      const planned = await planWith(opened, client, run)
      const { stop = new AbortController().signal, onEvent, clock, ledger } = run
      const { guards } = planned.plan
      const kept = run.guarded === 'as-allowed' ? guards.filter(({ allow }) => allow === undefined) : []
      const judged = run.guarded === true ? planned : { ...planned, plan: { ...planned.plan, guards: kept } }
      return { planned, report: await applyRun(opened, client, judged, { stop, onEvent, clock, ledger }) }
    }, run)
  const exportWith = ({ extent = 'lists', only = [], missing = false, entities = false, ...run }: ExportRun = {}) =>
    withClient((opened, client) => {
      const isTaken = (file: string) => existsSync(join(dir, 'manifests', file))
      const beside = missing ? { opened, isTaken } : undefined
      const options = { only, extent, entities, missing: beside }
      return exportRun(opened.project, client, { ...options, schemaFor: () => 'manifest.schema.json' })
    }, run)
  return {
    dir,
    emulator,
    env: environment,
    write,
    export: exportWith,
    manifest: (text) => write('manifests/main.yaml', text),
    baseManifest: (text) => {
      cpSync(join(dir, 'svcsync.yaml'), join(dir, 'base/svcsync.yaml'))
      write('base/manifests/main.yaml', text)
    },
    open,
    base: baseOf,
    plan,
    run: runWith,
    apply: async (run) => (await runWith(run)).report,
    changes: async (run = {}) =>
      (await plan(run)).document.changes.map(({ action, address }) => `${action} ${address}`),
    control: async (method, path, body) => {
      const { statusCode, body: answer } = await request(`${emulator.url}/_control${path}`, {
        method: method as Dispatcher.HttpMethod,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      const text = await answer.text()
      if (statusCode >= 400) throw new TypeError(`control ${method} ${path}: ${statusCode} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    close: async () => {
      await emulator.close()
      rmSync(dir, { recursive: true, force: true })
      if (breaches.size > 0)
        throw new TypeError(`the interface's documents say otherwise:\n${[...breaches].join('\n')}`)
    },
  }
}
