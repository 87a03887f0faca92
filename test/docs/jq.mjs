// `jq`, as pages and workflows use it, on every machine: the filter and flags as they are written, and a file or stdin.
import { readFileSync } from 'node:fs'
import { argv, stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import { raw } from 'jq-wasm'

const given = argv.slice(2)
const flags = []
const rest = []
while (given.length > 0) {
  if (given[0] === '--arg') flags.push(...given.splice(0, 3))
  else (/^-\w+$/.test(given[0]) ? flags : rest).push(given.shift())
}
const [filter, file] = rest
const input = file === undefined ? await text(stdin) : readFileSync(file, 'utf8')
const printed = await raw(input, filter, flags)
stdout.write(printed === '' ? '' : `${printed}\n`)
