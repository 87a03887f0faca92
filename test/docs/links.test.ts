// Links between pages lead to a file that is there, and to a heading of it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  ),
]

/** The anchor of a heading, as code hosts make it. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

function anchorsOf(path: string): readonly string[] {
  const text = withoutCode(readFileSync(path, 'utf8'))
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1] as string))
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '')
}

test.each(pages)('%s', (page) => {
  const lost: string[] = []
  for (const [, target = ''] of withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    const [file = '', anchor] = target.split('#')
    const path = file === '' ? join(root, page) : join(root, dirname(page), file)
    if (!existsSync(path)) lost.push(target)
    else if (anchor !== undefined && statSync(path).isFile() && !anchorsOf(path).includes(anchor)) lost.push(target)
  }
  expect(lost).toEqual([])
})
