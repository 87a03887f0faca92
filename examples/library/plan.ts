// Plans the project in this folder, and applies the plan with --apply.
import { applyRun, connect, kinds, openProject, planRun, renderErrorText, withPolicies } from 'svcsync'

const version = '1.0.0' // of your program, for the User-Agent header
const { env } = process

const read = openProject({ cwd: process.cwd(), env, kinds, needCredentials: true, nowMs: Date.now() })
const opened = await withPolicies(read)
const client = connect(opened.project, { version, env })
try {
  const planned = await planRun(opened, client, { only: [], version, createdAt: new Date().toISOString() })
  const { changes, counts, digest } = planned.document
  for (const { action, address } of changes) console.log(action, address)
  console.log(`${counts.steps} requests, digest ${digest}`)
  if (process.argv.includes('--apply')) {
    const report = await applyRun(opened, client, planned, { stop: AbortSignal.timeout(600_000) })
    console.log(report.outcome)
  }
} catch (error) {
  console.error(renderErrorText(error, { colour: false }))
  process.exitCode = 1
} finally {
  await client.close()
}
