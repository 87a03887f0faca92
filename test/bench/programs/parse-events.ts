// The least that reading manifests could do: the parser's events of every file in the folder that its argument names.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEvents } from 'js-yaml'

const folder = process.argv[2] as string
let events = 0
for (const file of readdirSync(folder)) events += parseEvents(readFileSync(join(folder, file), 'utf8'), {}).length
process.stdout.write(`${events} events\n`)
