// One tree, three media: each shows a fact, or counts it among what it leaves out.
import fc from 'fast-check'
import { marked } from 'marked'
import { expect, it } from 'vitest'
import { type Block, name, names, note, type Row, section, table } from '../../src/render/blocks/block.ts'
import { printHtml } from '../../src/render/printers/html.ts'
import { printMarkdown } from '../../src/render/printers/markdown.ts'
import { printText } from '../../src/render/printers/text.ts'

const weights: readonly Block<'table'>['weight'][] = ['loss', 'news', 'bulk']

/** Sections with rows that are told apart by a number. */
const tree = fc
  .array(
    fc.record({
      weight: fc.constantFrom(...weights),
      count: fc.integer({ min: 1, max: 120 }),
      grave: fc.nat({ max: 9 }),
      isTable: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => {
    const rows = all.map(({ count, grave, isTable }, at) =>
      Array.from({ length: count }, (_, index): Row => {
        const fact = `fact-${at}-${index}-end`
        return { sign: '+', cells: isTable ? [[name(fact)], 'level'] : [[name(fact)]], isGrave: index % 10 < grave - 8 }
      }),
    )
    const blocks = all.flatMap(({ weight, isTable }, at) =>
      section(
        `Section ${at}`,
        'strong',
        table(rows[at] ?? [], {
          weight,
          noun: ['thing', 'things'],
          title: 'Things',
          ...(isTable && { headings: ['who', 'level'] }),
        }),
      ),
    )
    return { rows: rows.flat(), blocks }
  })

const factsIn = (text: string): number => new Set([...text.matchAll(/fact-\d+-\d+-end/g)].map(([fact]) => fact)).size

it('law: the terminal shows each row or counts it, the grave ones always; all of them when asked', () => {
  fc.assert(
    fc.property(tree, fc.integer({ min: 40, max: 160 }), ({ rows, blocks }, width) => {
      const text = printText(blocks, { colour: false, width })
      const counts = [...text.replaceAll(/\s+/g, ' ').matchAll(/(\d+) (?:more )?things?; --verbose/g)]
      expect(factsIn(text) + counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(rows.length)
      for (const { isGrave, cells } of rows)
        if (isGrave) expect(text).toContain((cells[0] as { name: string }[])[0]?.name)
      expect(factsIn(printText(blocks, { colour: false, width, verbose: true }))).toBe(rows.length)
    }),
  )
})

it('law: Markdown shows each row or counts it, however little room there is, and the page has all', () => {
  fc.assert(
    fc.property(tree, fc.constantFrom(65_000, 6000, 3000), ({ rows, blocks }, maxLength) => {
      const text = printMarkdown(blocks, { maxLength })
      expect(text.length).toBeLessThanOrEqual(maxLength)
      const counts = [...text.matchAll(/(?:… |, )and ([\d,]+) more(?! *<\/summary>)/g)]
      const counted = counts.reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0)
      expect(factsIn(text) + counted).toBe(rows.length)
      expect(factsIn(printHtml(blocks, {}))).toBe(rows.length)
    }),
  )
})

it('takes names that are long, turned around, or markup, for text', () => {
  const hostile = ['x'.repeat(10_000), '\u202egnirts', '`a`|b|', '<img src=x onerror=alert(1)>', '| --- |']
  const blocks: Block[] = [
    note(['Names:', names(hostile)]),
    ...table(
      hostile.map((each): Row => ({ cells: [[name(each)], each] })),
      { headings: ['who', 'what'] },
    ),
  ]
  const text = printText(blocks, { colour: false, width: 40 })
  expect(text).not.toContain('\u202e')
  expect(text).toContain('\\u{202e}')
  const markdown = printMarkdown(blocks)
  expect(marked.parse(markdown, { gfm: true, async: false })).not.toContain('<img')
  for (const line of markdown.split('\n').filter((each) => each.startsWith('| ')))
    expect(line.replaceAll(/\\\|/g, '').split('|')).toHaveLength(5)
  expect(printHtml(blocks, {})).not.toContain('<img')
})

it('names the last of many that lose something in a list with a title, and shows a requested list whole', () => {
  const rows = Array.from(
    { length: 150 },
    (_, index): Row => ({ cells: [[name(`user/u${index}`)]], below: ['detail'] }),
  )
  const linesOf = (form: object) =>
    printText(table(rows, { weight: 'loss', ...form }), { colour: false, width: 80 }).split('\n')
  expect(linesOf({ title: 'Users' }).filter((line) => line.includes('detail'))).toHaveLength(51)
  expect(linesOf({}).filter((line) => line.includes('detail'))).toHaveLength(150)
})

it('shows the cells of a row once, also where another row has more of them', () => {
  const rows: Row[] = [{ cells: [[name('group/a')]] }, { cells: [[name('group/b')], 'only in HEAD'] }]
  expect(printText(table(rows), { colour: false, width: 80 })).toBe('group/a\ngroup/b  only in HEAD\n')
})

it('lays out a list of 300,000 members in bounded room', () => {
  const all = Array.from({ length: 300_000 }, (_, index) => `person-${index}@example.com`)
  const differences = () => [
    { form: 'entries' as const, label: 'members', added: all, removed: [], notIn: [], groups: [] },
  ]
  const blocks = table([{ sign: '~', cells: [[name('group/a')]], differences }])
  expect(printText(blocks, { colour: false, width: 80 })).toContain('299,990 more')
  expect(printMarkdown(blocks).length).toBeLessThan(2000)
})

it('keeps what goes on below a long name within a narrow terminal', () => {
  const who = [name('somebody.with.a.name@example.com')]
  const rows: Row[] = [
    { sign: '+', cells: [who, 'Modify', 'a'], stands: 1, below: ['directly'] },
    { sign: '+', cells: [who, 'ReadOnly, Start', 'b'], stands: 0 },
  ]
  const lines = printText(table(rows, { joints: ['', 'on'] }), { colour: false, width: 40 }).split('\n')
  expect(lines).toContain('    ReadOnly, Start on b')
})

it('text keeps the blanks of a sentence, and glues marks to what they follow', () => {
  const text = printText([note([name('`one`'), ', two, by `git push origin :refs/svcsync/applied/test` .'])], {
    colour: false,
    width: 100,
  })
  expect(text).toContain('`one`, two, by `git push origin :refs/svcsync/applied/test` .')
})
