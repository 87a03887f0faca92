// How many requests are in flight: never more than `concurrency`, whatever a run does.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { PlatformClient } from '../../src/platform/client.ts'
import { openForPlan } from '../../src/runs/plan/observe-project.ts'
import { sixtyStepsManifest, sixtyStepsTenant } from '../harness/sixty-steps.ts'
import { openWorkspace } from '../harness/workspace.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Stands before the platform and counts what it has not answered yet. */
async function countingFront(upstream: string) {
  const most = { reads: 0, writes: 0, all: 0 }
  const now = { reads: 0, writes: 0 }
  const server = createServer((request, response) => {
    const which = request.method === 'GET' ? 'reads' : 'writes'
    now[which]++
    most[which] = Math.max(most[which], now[which])
    most.all = Math.max(most.all, now.reads + now.writes)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { authorization, accept = '*/*', 'content-type': type = 'application/json' } = request.headers
      const answer = await fetch(`${upstream}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { accept, 'content-type': type, ...(authorization !== undefined && { authorization }) },
        ...(request.method !== 'GET' && { body: Buffer.concat(chunks) }),
      })
      const text = await answer.text()
      // Long enough for others to arrive meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 3))
      now[which]--
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, most }
}

it.each([1, 3, 16])(
  'concurrency %s: so many, over a plan and an apply that waits for synchronisation',
  async (concurrency) => {
    const workspace = await openWorkspace({
      tenant: sixtyStepsTenant,
      syncDelayMs: 40,
      env: { SECRET: 'a secret' },
      settings: `settings: { concurrency: ${concurrency} }`,
    })
    closing.push(workspace.close)
    const front = await countingFront(workspace.emulator.url)
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    workspace.write('svcsync.yaml', project.replace(workspace.emulator.url, front.url))
    workspace.manifest(sixtyStepsManifest)
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(front.most.all).toBeLessThanOrEqual(concurrency)
    expect(front.most.all).toBeGreaterThan(concurrency / 2)
    if (concurrency > 1) expect(Math.min(front.most.reads, front.most.writes)).toBeGreaterThan(1)
  },
)

it('lets the request for a token leave before the project is checked', async () => {
  const workspace = await openWorkspace({ tenant: sixtyStepsTenant })
  closing.push(() => workspace.close())
  let hasLeft = false
  const authorise = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        hasLeft = true
        resolve()
      })
    })
  const client = { authorise, conceal() {} } as Partial<PlatformClient> as PlatformClient
  await openForPlan(workspace.open(), client, { only: [], version: '1.2.3', createdAt: '' })
  expect(hasLeft).toBe(true)
})
