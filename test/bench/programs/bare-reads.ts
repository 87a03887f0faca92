// The least that a no-op plan could do: reads and checks the manifests, and reads every declared object once, as
// parallel as the answers allow. The file that its argument names says what.
import { readFileSync } from 'node:fs'
import { kinds } from '../../../src/kinds/index.ts'
import { openProject } from '../../../src/runs/open/open-project.ts'
import { type BareTarget, openBareHttp } from './bare-http.ts'

export interface BareReads extends BareTarget {
  /** The folder of the project. */
  readonly cwd: string
  readonly userPages: number
  readonly groups: readonly string[]
  /** Names of declared processes by application. */
  readonly processes: Readonly<Record<string, readonly string[]>>
}

interface Named {
  readonly guid: string
  readonly name: string
}

const task = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as BareReads
const { problems } = openProject({ cwd: task.cwd, env: {}, kinds, needCredentials: false, nowMs: Date.now() })
if (problems.some(({ severity }) => severity === 'error')) throw new Error(problems[0]?.message)
const send = await openBareHttp(task)

const readFirst = (path: string) => send('GET', path, undefined, true)

/** The lists go first, since other reads hang on them. */
async function readPrivileges(): Promise<void> {
  const { applications } = (await readFirst('/db/1/applications')) as unknown as { applications: readonly Named[] }
  const declared = applications.filter(({ name }) => task.processes[name] !== undefined)
  await Promise.all(
    declared.map(async ({ guid, name }) => {
      const wanted = new Set(task.processes[name])
      const own = send('GET', `/db/1/applications/${guid}/admin/privileges`)
      if (wanted.size > 0) {
        const answer = await readFirst(`/db/1/applications/${guid}/processes`)
        const { processes } = answer as unknown as { processes: readonly Named[] }
        const found = processes.filter((process) => wanted.has(process.name))
        await Promise.all(found.map((process) => send('GET', `/db/1/processes/${process.guid}/admin/privileges`)))
      }
      await own
    }),
  )
}

await Promise.all([
  readPrivileges(),
  ...Array.from({ length: task.userPages }, (_, page) => send('GET', `/admin/users?size=200&page=${page}`)),
  ...task.groups.map((svcId) => send('GET', `/admin/group?svcId=${encodeURIComponent(svcId)}`)),
])
