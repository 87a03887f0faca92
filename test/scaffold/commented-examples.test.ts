// Commented examples in new files work: every example, without its `# `, is valid.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { projectFile } from '../../src/export/project-file.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openProject } from '../../src/runs/open/open-project.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { defaultCi } from '../../src/scaffold/ci-files.ts'
import { templates } from '../../src/scaffold/generated/templates.ts'
import { liveTemplates } from '../../src/scaffold/write-project.ts'
import { adopt } from '../harness/adopt.ts'
import { openWorkspace } from '../harness/workspace.ts'

/** Every key that manifests and project files can have. */
const keys = new Set(
  ['manifest', 'project'].flatMap((name) => keysIn(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')))),
)

function keysIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : []
  return [...own, ...Object.values(schema).flatMap(keysIn)]
}

/** The line without its `# `, where that makes an entry of a manifest or a project file of it. */
function uncommented(line: string): string | undefined {
  const match = /^(\s*)# ((?: *- +| +)?([A-Za-z]+):(?: .*)?)$/.exec(line)
  return match !== null && keys.has(match[3] as string) ? `${match[1]}${match[2]}` : undefined
}

function take(text: string): { readonly text: string; readonly taken: number } {
  const lines = text.split('\n')
  return {
    text: lines.map((line) => uncommented(line) ?? line).join('\n'),
    taken: lines.filter((line) => uncommented(line) !== undefined).length,
  }
}

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-examples-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** As `.env` gives them. */
function variables(): Record<string, string> {
  const lines = (templates['.env.example'] ?? '').split('\n').filter((line) => /^\w+=/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2)))
}

function problemsOf(files: Readonly<Record<string, string>>, env = variables(), target?: string): readonly string[] {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
  const project = join(dir, 'svcsync.yaml')
  const { problems } = openProject({ project, target, cwd: dir, env, kinds, needCredentials: true, nowMs: 0 })
  return problems.map(({ code, message }) => `${code} ${message}`)
}

describe('of a new project', () => {
  const withExamples = Object.entries(templates).filter(
    ([file, text]) => file.endsWith('.yaml') && take(text).taken > 0,
  )

  it('there are some', () => {
    expect(withExamples.map(([file, text]) => [file, take(text).taken])).toEqual([
      ['svcsync.yaml', 11],
      ['manifests/processes.yaml', 4],
      ['manifests/users.yaml', 2],
    ])
  })

  it.each(withExamples)('%s', (file, text) => {
    for (const target of ['local', 'test', 'prod']) {
      expect(problemsOf({ ...templates, [file]: take(text).text }, variables(), target)).toEqual([])
    }
  })

  it('all together', () => {
    const all = Object.fromEntries(withExamples.map(([file, text]) => [file, take(text).text]))
    expect(problemsOf({ ...templates, ...all })).toEqual([])
  })
})

it.each(Object.entries({ ...liveTemplates(defaultCi('our')) }).filter(([file]) => file.endsWith('/apply.yml')))(
  'of the workflow %s',
  (_file, text) => {
    const example = /^( +)# ([A-Z_]+: .*)$/gm
    expect(text).toMatch(example)
    const { jobs } = parse(text.replace(example, '$1$2')) as { jobs: Record<string, { env: object }> }
    const { jobs: before } = parse(text) as { jobs: Record<string, { env: object }> }
    expect(jobs.apply?.env).toEqual({
      ...before.apply?.env,
      ERP_PASSWORD: expect.stringMatching(/secrets\.ERP_PASSWORD/),
    })
  },
)

describe('of a project of what is live', () => {
  const options = { target: 'prod', baseUrl: 'https://svc.example.com', apiVersion: '6.0', wireNames: {} } as const
  const project = projectFile({ ...options, databases: { main: 1 }, schema: 'project.schema.json' })
  const { 'policies/examples.yaml': policies = '' } = liveTemplates(defaultCi('prod'))
  const manifests = { 'manifests/users.yaml': 'users: []\n' }

  it('svcsync.yaml', () => {
    const { text, taken } = take(project)
    expect(taken).toBe(7)
    expect(project).toContain('copy the lines of `expect` that `svcsync doctor` prints')
    expect(problemsOf({ ...manifests, 'svcsync.yaml': text, 'policies/examples.yaml': policies })).toEqual([])
  })

  it('policies, which say nothing until then', async () => {
    const all = policies.replace('policies: []', 'policies:').replace(/^#(?= {2}|$)/gm, '')
    const names = async (text: string) => {
      expect(problemsOf({ ...manifests, 'svcsync.yaml': project, 'policies/examples.yaml': text })).toEqual([])
      const read = {
        project: join(dir, 'svcsync.yaml'),
        cwd: dir,
        env: variables(),
        kinds,
        needCredentials: true,
        nowMs: 0,
      }
      const opened = await withPolicies(openProject(read))
      expect(opened.problems).toEqual([])
      return opened.policies?.map(({ name }) => name)
    }
    expect(await names(policies)).toEqual([])
    expect(await names(all)).toHaveLength(18)
  })
})

it('of an export: the places for logins, filled in, one way to log in for each environment', async () => {
  const workspace = await openWorkspace({
    tenant: {
      databases: [
        {
          id: 1,
          connections: [
            { name: 'A', type: 'SQL', sql: { common: { server: 's' }, dev: {}, test: { password: 'p' } } },
            { name: 'B', type: 'REST', rest: { common: { baseUrl: 'https://b.example.com' }, prod: { user: 'u' } } },
            {
              name: 'C',
              type: 'MailServer',
              mailserver: { common: { serverType: 'DirectoryGraph', directoryGraph: { tenantId: 't' } } },
            },
            { name: 'D', type: 'SOAP', soap: { common: { url: 'https://d.example.com' } } },
          ],
        },
      ],
    } as unknown as Tenant,
  })
  try {
    const { texts } = await adopt(workspace)
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    const written = texts['connections.yaml'] ?? ''
    for (const drop of [/^ *# (?:client(?:Id|Secret)|applicationId):.*\n/gm, /^ *# (?:user|password):.*\n/gm]) {
      const { text, taken } = take(written.replace(drop, ''))
      expect(taken).toBeGreaterThan(4)
      const filled = text.replace(/^( *(?:user|clientId|applicationId)):$/gm, '$1: somebody')
      const names = [...filled.matchAll(/\$\{env:(\w+)\}/g)].map((match) => [match[1] as string, 'x'])
      const env = { ...workspace.env, ...Object.fromEntries(names) }
      expect(problemsOf({ 'svcsync.yaml': project, 'manifests/connections.yaml': filled }, env)).toEqual([])
    }
  } finally {
    await workspace.close()
  }
})
