// `jq`, as pages show it, on every machine: the filter and flags as they are written, and a file or stdin.
import { readFileSync } from 'node:fs'
import { argv, stdin } from 'node:process'
import { raw } from 'jq-wasm'

const given = argv.slice(2)
const flags = given.filter((each) => /^-\w+$/.test(each))
const [filter, file] = given.filter((each) => !flags.includes(each))
console.log(await raw(JSON.parse(readFileSync(file ?? stdin.fd, 'utf8')), filter, flags))
