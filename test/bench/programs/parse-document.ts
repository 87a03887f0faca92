// Parses the files in the folder of its argument with the yaml package: documents, and the starts of lines.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, LineCounter, parseDocument } from 'yaml'

const folder = process.argv[2] as string
for (const file of readdirSync(folder)) {
  const lineCounter = new LineCounter()
  const { contents, errors } = parseDocument(readFileSync(join(folder, file), 'utf8'), { lineCounter })
  if (errors[0] !== undefined || !isMap(contents)) throw errors[0] ?? new TypeError('no mapping')
  process.stdout.write(`${contents.items.length} sections, ${lineCounter.lineStarts.length} lines\n`)
}
