// A thread that stays when its tests have ended, with the modules that it has loaded: the next fault takes no start.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node'

export interface KeptThread extends PoolWorker {
  /** True if tests have run in it. */
  readonly isUsed: () => boolean
  /** Ends the thread: the next one starts with nothing loaded. */
  end(): Promise<void>
}

/**
 * In the place of the threads of vitest, which end with each run. It is told that this one had started, and that it
 * ended.
 */
export function createKeptThread({ distPath, env, execArgv }: PoolOptions): KeptThread {
  let thread: Worker | undefined
  let isStarted = false
  let isUsed = false
  let isBusy = false
  const current = (): Worker => {
    if (thread !== undefined) return thread
    thread = new Worker(join(distPath, 'workers/threads.js'), { env, execArgv, stdout: true, stderr: true })
    thread.stdout.resume()
    thread.stderr.resume()
    return thread
  }
  const answer = (type: 'started' | 'stopped') =>
    void setImmediate(() => thread?.emit('message', { type, __vitest_worker_response__: true }))
  const watch = (message: { readonly type?: string }): void => {
    if (message?.type === 'testfileFinished') isBusy = false
  }
  const end = async (): Promise<void> => {
    const old = thread
    thread = undefined
    isStarted = false
    isUsed = false
    isBusy = false
    await old?.terminate()
  }
  return {
    name: 'kept',
    isUsed: () => isUsed,
    end,
    on: (event, callback) => void current().on(event, callback),
    off: (event, callback) => void thread?.off(event, callback),
    deserialize: (data) => data,
    start: async () => void current().on('message', watch),
    send(message: WorkerRequest) {
      if (message.type === 'stop') return answer('stopped')
      if (message.type === 'start' && isStarted) return answer('started')
      if (message.type === 'start') isStarted = true
      if (message.type === 'run') isBusy = true
      if (message.type === 'run') setImmediate(() => (isUsed = true))
      current().postMessage(message)
    },
    async stop() {
      for (const event of ['message', 'error', 'exit']) thread?.removeAllListeners(event)
      if (isBusy) await end()
    },
  }
}
