// examples/ci/github-approved: its own script, run by bash in a repository, fetches from a GitHub over HTTP what was approved, and nothing else.
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

/** What is on the path of a job besides git: `gh` asks as it does, and an archive is one file. */
const tools = {
  gh: 'exec curl --silent --show-error --fail --header "authorization: token $GH_TOKEN" "$GITHUB_API_URL/$2"',
  // The machine's own, where there is one: it is much quicker.
  jq: `PATH=\${PATH#*:}; command -v jq > /dev/null && exec jq "$@"; exec "${process.execPath}" "${resolve('test/docs/jq.mjs')}" "$@"`,
  unzip: 'mkdir "$4" && cp "$2" "$4/plan-prod.json" && echo other > "$4/plan-test.json"',
}

let repository: Repository
let github: PretendedForge
/** The last commit of the pull request, by the commit on main that it became. */
const merges = new Map<string, { readonly head: string; readonly base: string; readonly repo: number }>()
const mergedAt = '2026-11-23T10:00:00Z'
/** Of its runs, what each kept when. */
const kept: Record<string, readonly (readonly [at: string, text: string, expired?: boolean])[]> = {
  early: [['2026-11-23T08:00:00Z', 'early']],
  again: [
    ['2026-11-23T09:00:00Z', 'as it was looked at'],
    ['2026-11-23T08:00:00Z', 'before'],
    ['2026-11-23T10:30:00Z', 'run again after the merge'],
  ],
  late: [['2026-11-23T10:00:01Z', 'late']],
  gone: [['2026-11-23T08:00:00Z', 'gone', true]],
  fork: [['2026-11-23T08:00:00Z', 'evil']],
  aside: [['2026-11-23T08:00:00Z', 'aside']],
  none: [],
}
const artifacts = Object.values(kept).flat()
let applied: string | undefined
const commits: Record<string, string> = {}

function answer(url: URL): Answer {
  const ok = (value: unknown): Answer => ({ status: 200, value })
  const [, what = '', rest = ''] = /^\/repos\/org\/config\/([a-z]+)\/(.*)$/.exec(url.pathname) ?? []
  if (what === 'commits') {
    const merge = merges.get(rest.replace('/pulls', ''))
    if (merge === undefined) return ok([])
    const { head, base, repo } = merge
    return ok([
      { merged_at: mergedAt, head: { sha: head, repo: { id: repo } }, base: { ref: base, repo: { id: 1 } } },
      { merged_at: null, head: { sha: 'open', repo: { id: 1 } }, base: { ref: 'main', repo: { id: 1 } } },
    ])
  }
  if (rest === 'runs/42') return ok({ workflow_id: 5 })
  if (rest === 'workflows/5/runs') return ok({ workflow_runs: applied === undefined ? [] : [{ head_sha: applied }] })
  const head = url.searchParams.get('head_sha') ?? ''
  // A run for each that it kept.
  if (rest === 'workflows/plan.yml/runs')
    return ok({ workflow_runs: (kept[head] ?? []).map((each) => ({ id: artifacts.indexOf(each) })) })
  const [, run] = /^runs\/(\d+)\/artifacts$/.exec(rest) ?? []
  const each = artifacts[Number(run)]
  if (each !== undefined)
    return ok({ artifacts: [{ id: Number(run), created_at: each[0], expired: each[2] ?? false }] })
  const [, id] = /^artifacts\/(\d+)\/zip$/.exec(rest) ?? []
  if (id === undefined) return notFound()
  return ok(artifacts[Number(id)]?.[1])
}

beforeAll(async () => {
  repository = openRepository()
  const commit = (name: string) => {
    repository.write('name', name)
    return repository.commit(name)
  }
  commit('first')
  for (const head of Object.keys(kept)) {
    commits[head] = commit(head)
    merges.set(commits[head], { head, base: head === 'aside' ? 'aside' : 'main', repo: head === 'fork' ? 2 : 1 })
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
    stdio: ['ignore', 'ignore', 'pipe'],
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
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const [, files] = /^files<<END\n([\s\S]*)END\n$/.exec(readFileSync(output, 'utf8')) ?? []
  const found = files?.split('\n').filter((file) => file !== '')
  return { code, log, plans: found?.map((file) => [file, readFileSync(join(repository.dir, file), 'utf8')]) }
}

it('takes of each pull request of the repository into the branch what was kept last before the merge', async () => {
  expect(await fetchApproved()).toEqual({
    code: 0,
    log: '',
    plans: [
      ['approved/again/plan-prod.json', 'as it was looked at'],
      ['approved/early/plan-prod.json', 'early'],
    ],
  })
})

it('takes nothing of what was merged before the last apply that went through', async () => {
  expect((await fetchApproved(commits.early)).plans).toEqual([['approved/again/plan-prod.json', 'as it was looked at']])
  expect(await fetchApproved(commits.none)).toEqual({ code: 0, log: '', plans: [] })
})

it('fails where GitHub does not answer', async () => {
  github.order({ method: 'GET', path: /workflows\/5\/runs/, status: 502 })
  expect(await fetchApproved()).toMatchObject({ log: expect.stringContaining('502'), plans: undefined })
})
