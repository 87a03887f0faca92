// `npm run mutate`: plants faults in the sources, one at a time, and says which of them no test notices.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { globSync } from 'tinyglobby'
import type { Line, Trial } from './try-faults.ts'

const { values } = parseArgs({
  options: {
    only: {
      type: 'string',
      multiple: true,
      default: ['src/core', 'src/apply', 'src/live', 'src/platform', 'src/journal'],
    },
    tests: { type: 'string', multiple: true, default: ['test'] },
    every: { type: 'string', default: '1' },
  },
})
/** What starts the built command, or says nothing about what it does. */
const otherTests = ['test/{e2e,docs,architecture,editor}/**', 'test/contract/new-kind.test.ts']
const inAll = (paths: readonly string[], ending: string): string[] =>
  paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*${ending}`))
const sources = globSync(inAll(values.only, '.ts')).sort()
const tests = globSync(inAll(values.tests, '.test.ts'), { ignore: otherTests })

const tried: boolean[] = []
let total = 0

/** Gives the number of the fault that made the tests hang, which is noticed, or undefined at the end. */
async function tryFrom(from: number, folder: string): Promise<number | undefined> {
  const trial: Trial = { sources, tests, folder, from, every: Number(values.every) }
  const program = ['--import', 'tsx', join(import.meta.dirname, 'try-faults.ts'), JSON.stringify(trial)]
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let trying: number | undefined
  let timer: NodeJS.Timeout | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('@')) continue
    const line = JSON.parse(text.slice(1)) as Line
    if ('total' in line) total = line.total
    else if ('trying' in line) {
      trying = line.trying
      clearTimeout(timer)
      timer = setTimeout(() => child.kill('SIGKILL'), line.limitMs)
    } else {
      tried.push(line.noticed)
      const { file, line: at, before, after } = line.fault
      if (!line.noticed) process.stdout.write(`${file}:${at}  ${oneLine(before)}  →  ${oneLine(after)}\n`)
    }
  }
  clearTimeout(timer)
  const [code, signal] = await ended
  if (code === 0) return undefined
  if (signal === 'SIGKILL' && trying !== undefined) return trying
  throw new TypeError(`The tests could not be run: ${code ?? signal}`)
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100)
const folder = mkdtempSync(join(tmpdir(), 'svcsync-mutate-'))
mkdirSync(join(folder, 'hits'))
try {
  for (let from = 0; ; ) {
    const hung = await tryFrom(from, folder)
    if (hung === undefined) break
    tried.push(true)
    from = hung + 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const noticed = tried.filter(Boolean).length
const share = ((100 * noticed) / tried.length).toFixed(1)
process.stdout.write(
  `${noticed} of ${tried.length} faults noticed (${share} %), of ${total} in ${sources.length} files\n`,
)
