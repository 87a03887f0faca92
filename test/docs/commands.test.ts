// Each command that a page shows is one that svcsync takes, also where no session plays it.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { buildProgram } from '../../src/cli/program/program.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/adr/')),
]

/** In blocks for shells and in the text, without what the shell makes of the rest of the line. */
function shownCommands(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll('\\\n', ' ')
  const blocks = [...text.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  )
  const lines = blocks.map((line) => line.replace(/^\$ /, '').replace(/\s+(?:#|>|2>|\||&|;).*$/, ''))
  const inText = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  return [...lines, ...inText].filter((line) => line.startsWith('svcsync '))
}

it.each(pages)('%s', (page) => {
  for (const line of shownCommands(page)) {
    const words = (line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ''))
    const [, name = '', ...rest] = words.filter((word) => word !== '…')
    if (name.startsWith('-') || name.startsWith('<')) continue
    expect(Object.keys(commands), line).toContain(name)
    const [command] = buildProgram(() => undefined, name).commands
    expect(command?.parseOptions(rest).unknown, line).toEqual([])
  }
})
