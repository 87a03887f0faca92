// Runs the built command again and again in one process, each time as if the process were its own: its folder, environment,
// arguments, streams and end. What it loads is loaded once, which is most of what a process costs.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import process from 'node:process'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

const [, , command] = process.argv
const require = createRequire(import.meta.url)
const { exit } = process
/** What goes on after the end of its command still belongs to it, and is heard by nobody. */
const runs = new AsyncLocalStorage()
const own = { stdout: process.stdout, stderr: process.stderr, env: process.env, argv: process.argv, exit }

for (const name of Object.keys(own)) {
  Object.defineProperty(process, name, { get: () => (runs.getStore() ?? own)[name] })
}

/** The end of a process ends its pauses: what would come after them never does. */
const pauses = require('node:timers/promises')
const { setTimeout: pause } = pauses
pauses.setTimeout = (delayMs, value, options) => {
  const ended = runs.getStore()?.ended
  if (ended === undefined) return pause(delayMs, value, options)
  const signal = AbortSignal.any([ended, ...(options?.signal ? [options.signal] : [])])
  return pause(delayMs, value, { ...options, signal }).catch((error) => {
    if (ended.aborted) return new Promise(() => undefined)
    throw error
  })
}

function stream(both) {
  const chunks = []
  const sink = new Writable({
    decodeStrings: true,
    write: (chunk, _encoding, done) => {
      chunks.push(chunk)
      both.push(chunk)
      done()
    },
  })
  return { sink, text: () => textOf(chunks) }
}

const textOf = (chunks) => Buffer.concat(chunks).toString()

async function run({ args, cwd, env }) {
  process.chdir(cwd)
  const both = []
  const out = stream(both)
  const err = stream(both)
  const end = new AbortController()
  const code = await new Promise((done, failed) => {
    const argv = [process.execPath, command, ...args]
    runs.run({ stdout: out.sink, stderr: err.sink, env, argv, exit: done, ended: end.signal }, () => {
      // The entry is small and evaluated each time; the chunks that it loads are there.
      delete require.cache[command]
      try {
        require(command)
      } catch (error) {
        failed(error)
      }
    })
  })
  end.abort()
  for (const event of ['beforeExit', 'SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(event)
  return { code, stdout: out.text(), stderr: err.text(), both: textOf(both) }
}

/** What would keep a process alive: the end of a process ends it, too. */
const held = () => process.getActiveResourcesInfo().length
let atRest

process.on('disconnect', () => exit(0))
process.on('message', async (asked) => {
  atRest ??= held()
  const result = await run(asked)
  for (let turn = 0; turn < 3 && held() > atRest; turn++) await nextTurn()
  const isOver = held() > atRest
  process.send({ ...result, isOver }, () => isOver && exit(0))
})
