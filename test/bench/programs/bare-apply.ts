// The least that a first apply could do: sends the recorded writes and reads in their order, with as many in flight as
// allowed. The file that its argument names holds them.
import { readFileSync } from 'node:fs'
import { type BareTarget, openBareHttp } from './bare-http.ts'

export interface BareApply extends BareTarget {
  readonly requests: readonly { readonly method: string; readonly path: string; readonly body?: unknown }[]
}

const task = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as BareApply
const send = await openBareHttp(task)
await Promise.all(
  task.requests.map(async ({ method, path, body }) => {
    try {
      await send(method, path, body)
    } catch (error) {
      // A plan also asks for what is not there yet.
      if (method !== 'GET') throw error
    }
  }),
)
