// examples/ci/github-approved: its own script, run by bash in a repository, fetches from a GitHub over HTTP what was
// approved, and nothing else.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { gitEnvironment, openRepository, type Repository } from '../harness/repository.ts'
import { type Answer, notFound, type PretendedForge, pretendForge, token } from './pretended-forge.ts'

interface Step {
  readonly id?: string
  readonly shell?: string
  readonly run?: string
}
const workflow = parse(readFileSync('examples/ci/github-approved/apply.yml', 'utf8')) as {
  readonly jobs: { readonly apply: { readonly steps: readonly Step[] } }
}
const script = workflow.jobs.apply.steps.find(({ id }) => id === 'approved')

/** The programs of a job besides git: `gh` asks as it does, and an archive is one file. */
const tools = {
  gh: 'exec curl --silent --show-error --fail --header "authorization: token $GH_TOKEN" "$GITHUB_API_URL/$2"',
  // The machine's own, where there is one: it is much quicker.
  jq:
    'PATH=${PATH#*:}; command -v jq > /dev/null && exec jq "$@"; ' +
    `exec "${process.execPath}" "${resolve('test/docs/jq.mjs')}" "$@"`,
  unzip: 'mkdir "$4" && cp "$2" "$4/plan-prod.json" && echo other > "$4/plan-test.json"',
}

let repository: Repository
let github: PretendedForge
const mergedAt = '2026-11-23T10:00:00Z'
const openedAt = '2026-11-22T10:00:00Z'
const [main, aside, evil] = ['main', 'aside', 'evil'].map((ref) => ({ ref, repo: { id: 1 } }))

/** An artifact, and what is out of the ordinary with its run. */
type Kept = readonly [at: string, text: string, more?: { expired?: boolean; number?: number; run?: object }]
interface Pull {
  readonly kept: readonly Kept[]
  readonly base?: object | undefined
  readonly repo?: number
  /** Other pull requests from the same branch. */
  readonly others?: readonly object[]
  readonly events?: readonly string[]
  /** Another file that the merge changes. */
  readonly file?: string
}
const early = '2026-11-23T08:00:00Z'
const wasMerged = { number: 90, base: main, merged_at: '2026-11-22T09:00:00Z' }
const pulls: Record<string, Pull> = {
  early: { kept: [[early, 'early']], others: [wasMerged], events: ['head_ref_force_pushed', 'closed'] },
  again: {
    kept: [
      ['2026-11-23T09:00:00Z', 'as it was looked at'],
      [early, 'before'],
      ['2026-11-23T10:30:00Z', 'run again after the merge'],
    ],
  },
  late: { kept: [['2026-11-23T10:00:01Z', 'late']] },
  gone: { kept: [[early, 'gone', { expired: true }]] },
  fork: { kept: [[early, 'evil']], repo: 2 },
  aside: { kept: [[early, 'aside']], base: aside },
  none: { kept: [] },
  // The same last commit, where another plan.yml may have run.
  'of-a-fork-beside': { kept: [[early, 'evil', { run: { head_repository: { full_name: 'stranger/config' } } }]] },
  'of-another-number': { kept: [[early, 'evil', { number: 99 }]] },
  'before-it-was-opened': { kept: [[early, 'evil', { run: { created_at: '2026-11-22T09:59:59Z' } }]] },
  'open-beside': { kept: [[early, 'evil', { run: { pull_requests: [{ number: 91 }] } }]] },
  'open-twin': { kept: [[early, 'evil']], others: [{ number: 92, base: evil, merged_at: null }] },
  'merged-twin': { kept: [[early, 'evil']], others: [{ ...wasMerged, merged_at: openedAt }] },
  'merged-elsewhere': { kept: [[early, 'evil']], others: [{ ...wasMerged, base: evil }] },
  'base-changed': { kept: [[early, 'evil']], events: ['base_ref_changed', 'base_ref_changed'] },
  'base-deleted': { kept: [[early, 'evil']], events: ['automatic_base_change_succeeded'] },
  'own-workflow': { kept: [[early, 'evil']], file: '.github/workflows/plan.yml' },
  'own-packages': { kept: [[early, 'evil']], file: 'package-lock.json' },
  'of-a-branch-beside': {
    kept: [
      [early, 'own'],
      ['2026-11-23T09:00:00Z', 'evil', { run: { head_branch: 'beside' } }],
    ],
  },
}
const names = Object.keys(pulls)
const artifacts = Object.values(pulls).flatMap(({ kept }) => kept)
/** A branch may be called nearly anything. */
const branchOf = (name: string): string => `feature/${name}&state="$(x)"`
/** The last commit of the pull request, by the commit on main that it became. */
const merges = new Map<string, string>()
let applied: string | undefined
const commits: Record<string, string> = {}

const ok = (value: unknown): Answer => ({ status: 200, value })

function pullOf(name: string) {
  const { base = main, repo = 1 } = pulls[name] ?? {}
  const head = { sha: name, ref: branchOf(name), repo: { id: repo } }
  return { number: names.indexOf(name) + 1, created_at: openedAt, merged_at: mergedAt, head, base }
}

function answer({ pathname, searchParams }: URL): Answer {
  const query = (name: string): string => searchParams.get(name) ?? ''
  const [, what = '', rest = ''] = /^\/repos\/org\/config\/(\w+)\/?(.*)$/.exec(pathname) ?? []
  if (what === 'commits') {
    const name = merges.get(rest.replace('/pulls', ''))
    const open = { ...pullOf('none'), merged_at: null, head: { sha: 'open', repo: { id: 1 } } }
    return ok(name === undefined ? [] : [pullOf(name), open])
  }
  if (what === 'pulls') return answerPull(query)
  if (what === 'issues') {
    const name = names[Number(rest.replace('/events', '')) - 1] ?? ''
    return ok((pulls[name]?.events ?? []).map((event) => ({ event })))
  }
  if (rest === 'runs/42') return ok({ workflow_id: 5 })
  if (rest === 'workflows/5/runs') return ok({ workflow_runs: applied === undefined ? [] : [{ head_sha: applied }] })
  if (rest === 'workflows/plan.yml/runs') return ok({ workflow_runs: runsOf(query('head_sha')) })
  return answerArtifact(rest, query)
}

function answerPull(query: (name: string) => string): Answer {
  const name = names.find((each) => query('head') === `org:${branchOf(each)}`)
  if (name === undefined || query('state') !== 'all') return notFound()
  return ok([pullOf(name), ...(pulls[name]?.others ?? [])])
}

/** A run for each that it kept. */
function runsOf(name: string) {
  const run = { head_branch: branchOf(name), head_repository: { full_name: 'org/config' }, created_at: openedAt }
  const number = names.indexOf(name) + 1
  return (pulls[name]?.kept ?? []).map((each) => ({
    ...{ id: artifacts.indexOf(each), ...run, pull_requests: [{ number }], ...each[2]?.run },
  }))
}

function answerArtifact(rest: string, query: (name: string) => string): Answer {
  const [, run] = /^runs\/(\d+)\/artifacts$/.exec(rest) ?? []
  const each = artifacts[Number(run)]
  if (each !== undefined) {
    const number = each[2]?.number ?? names.findIndex((name) => pulls[name]?.kept.includes(each)) + 1
    const found = { id: Number(run), created_at: each[0], expired: each[2]?.expired ?? false }
    return ok({ artifacts: query('name') === `svcsync-plan-${number}` ? [found] : [] })
  }
  const [, id] = /^artifacts\/(\d+)\/zip$/.exec(rest) ?? []
  return id === undefined ? notFound() : ok(artifacts[Number(id)]?.[1])
}

beforeAll(async () => {
  repository = openRepository()
  const commit = (name: string) => {
    repository.write('name', name)
    return repository.commit(name)
  }
  commit('first')
  for (const name of names) {
    const { file } = pulls[name] ?? {}
    if (file !== undefined) repository.write(file, name)
    commits[name] = commit(name)
    merges.set(commits[name], name)
  }
  commits.pushed = commit('pushed')
  mkdirSync(join(repository.dir, '.git/tools'))
  for (const [name, text] of Object.entries(tools)) {
    writeFileSync(join(repository.dir, '.git/tools', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }
  github = await pretendForge({
    isKnown: ({ authorization }) => authorization === `token ${token}`,
    unknown: { status: 401, value: {} },
    answer: ({ url }) => answer(url),
  })
})
afterAll(async () => {
  await github.close()
  repository.remove()
})

async function fetchApproved(commit?: string) {
  applied = commit
  rmSync(join(repository.dir, 'approved'), { recursive: true, force: true })
  const output = join(repository.dir, '.git/output')
  writeFileSync(output, '')
  // As GitHub starts it.
  expect(script?.shell).toBe('bash')
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script?.run ?? ''], {
    cwd: repository.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...gitEnvironment,
      PATH: `${join(repository.dir, '.git/tools')}:${process.env.PATH}`,
      GH_TOKEN: token,
      TARGET: 'prod',
      GITHUB_API_URL: github.url,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: 'org/config',
      GITHUB_REF_NAME: 'main',
      GITHUB_RUN_ID: '42',
    },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const [, files] = /^files<<END\n([\s\S]*)END\n$/.exec(readFileSync(output, 'utf8')) ?? []
  const found = files?.split('\n').filter((file) => file !== '')
  return { code, log, plans: found?.map((file) => [file, readFileSync(join(repository.dir, file), 'utf8')]) }
}

const numberOf = (name: string): number => names.indexOf(name) + 1
const planOf = (name: string, text: string) => [`approved/${numberOf(name)}/plan-prod.json`, text]
const kept = [
  planOf('early', 'early'),
  planOf('again', 'as it was looked at'),
  planOf('of-a-branch-beside', 'own'),
].sort()

it("takes of each pull request into the branch what the branch's plan.yml kept last before the merge", async () => {
  const { code, log, plans } = await fetchApproved()
  expect({ code, plans }).toEqual({ code: 0, plans: kept })
  const sharing = 'pull requests that share its head:'
  const refused = {
    'open-beside': `${sharing} 91`,
    'open-twin': `${sharing} 92`,
    'merged-twin': `${sharing} 90`,
    'merged-elsewhere': `${sharing} 90`,
    'base-changed': 'its base was another branch before',
    'base-deleted': 'its base was another branch before',
    'own-workflow': 'it changes .github, or the packages that its job runs',
    'own-packages': 'it changes .github, or the packages that its job runs',
  }
  const warnings = Object.entries(refused).map(
    ([name, why]) => `::warning title=svcsync::The approval of pull request ${numberOf(name)} does not count: ${why}`,
  )
  expect(log.trimEnd().split('\n').sort()).toEqual(warnings.sort())
})

it('takes nothing of what was merged before the last apply that went through', async () => {
  expect((await fetchApproved(commits['own-packages'])).plans).toEqual([planOf('of-a-branch-beside', 'own')])
  expect(await fetchApproved(commits['of-a-branch-beside'])).toEqual({ code: 0, log: '', plans: [] })
})

it.each([/workflows\/5\/runs/, /config\/pulls$/, /issues\/\d+\/events/, /workflows\/plan.yml\/runs/])(
  'fails where GitHub does not answer %s',
  async (path) => {
    github.order({ method: 'GET', path, status: 502 })
    const done = await fetchApproved(commits['own-workflow'])
    expect(done).toMatchObject({ log: expect.stringContaining('502'), plans: undefined })
  },
)
