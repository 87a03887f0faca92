// The claims of docs/emulator.md hold: its examples work, and it lists every switch with its default.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { defaultBehaviour } from '../../src/emulator/index.ts'
import { startPlatform } from './start-platform.ts'

const page = readFileSync(new URL('../../docs/emulator.md', import.meta.url), 'utf8')
const block = (language: string, first = '') =>
  new RegExp(`\`\`\`${language}\n(${first}[^]*?)\`\`\``).exec(page)?.[1] ?? ''

test('the tenant is one that starts, and each edit one that can be done', async () => {
  const tenant = parse(block('yaml'))
  const edits: Record<string, never>[] = JSON.parse(block('json', '\\['))
  const { emulator } = await startPlatform({ tenant })
  expect(edits.length).toBeGreaterThan(15)
  for (const edit of edits) {
    emulator.load(tenant)
    expect(() => emulator.edit(edit), JSON.stringify(edit)).not.toThrow()
  }
})

test('every switch is listed with its default first', () => {
  const rows = new Map(page.split('\n').map((line) => [/^\| `(\w+)` *\|/.exec(line)?.[1] ?? '', line]))
  for (const [name, value] of Object.entries(defaultBehaviour)) {
    expect(rows.get(name), name).toMatch(new RegExp(`\\| \`${value}\``))
  }
})
