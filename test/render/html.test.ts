// Pages in a real browser: what they show and filter, whom they keep out, and that everybody can use them.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { renderCombinedHtml, renderPlanHtml, renderReportHtml } from '../../src/render/html/plan-page.ts'
import { openBrowser } from '../harness/browser.ts'
import { axePath, whilePageOpen } from '../harness/open-page.ts'
import { isThorough } from '../harness/thorough.ts'
import { hostilePlan, secret } from './hostile.ts'
import { accessPlan, fullPlan, planOf, step } from './plan-fixture.ts'
import { troubledReport } from './report-fixture.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
const link = ({ file, line }: { readonly file: string; readonly line: number }): string =>
  `https://git.example.com/blob/abc/${file}#L${line}`

const drifted = { ...fullPlan, pending: [] }
const historyOf = (more: number) => {
  const runs = [0, 1, 2].map((day) => ({
    ...({
      at: `2026-11-0${day + 1}T03:00:00.000Z`,
      command: day === 1 && more > 0 ? 'apply' : 'drift',
      only: [],
    } as const),
    ...({ isComplete: true, severity: 'danger', verdict: '<img src=x onerror=alert(1)>' } as const),
    ...{ counts: { differences: day + more }, elapsedMs: 1, requests: 1 },
  }))
  const [, before] = runs
  return { before: before?.at ?? null, differences: [{ what: 'group/x', since: '2026-11-03', isNew: true }], runs }
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const whileOpen = <T>(html: string, use: (page: Page) => Promise<T>, options = {}): Promise<T> =>
  whilePageOpen(browser, html, use, options)

const shown = (page: Page) => page.locator('article:not([hidden])')
/** The changes of the plan. */
const changed = (page: Page) => page.locator('article[id]:not([hidden])')
/** With what could not be read or compared, a warning, and what ends. */
const rows = fullPlan.changes.length + 4

it('shows what a plan holds, with links to its lines', async () => {
  const html = renderPlanHtml(fullPlan, { hash, link, offersDigest: true })
  await whileOpen(html, async (page) => {
    expect(await page.locator('h1').innerText()).toContain('test: 1 group is deleted')
    expect(await changed(page).count()).toBe(fullPlan.changes.length)
    expect(await page.locator('output').innerText()).toBe(`${rows} rows`)
    const links = await page.locator('article a').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    expect(links).toContain('https://git.example.com/blob/abc/manifests/groups.yaml#L4')
    for (const { address } of fullPlan.changes) expect(await page.locator('main').textContent()).toContain(address)
    expect(await page.locator('section svg').count()).toBe(
      fullPlan.steps.some((each) => each.dependsOn.length > 0) ? 1 : 0,
    )
  })
})

it('filters by buttons that a second click clears, and by words, and says how many are left', async () => {
  await whileOpen(renderPlanHtml(fullPlan, { hash, link }), async (page) => {
    const count = async (wanted: number) => {
      await expect.poll(() => shown(page).count()).toBe(wanted)
      expect(await page.locator('output').innerText()).toBe(`${wanted === rows ? '' : `${wanted} of `}${rows} rows`)
    }
    const click = (tag: string) => page.locator(`[data-tag="${tag}"]`).click()
    const groups = fullPlan.changes.filter(({ kind }) => kind === 'group').length
    await click('group')
    await count(groups)
    expect(await page.locator('[data-tag=group] b').innerText()).toBe(String(groups))
    await click('created')
    await count(1)
    await click('created')
    await count(groups)
    await click('group')
    await count(rows)
    await page.fill('input[name=search]', 'piotr.zielinski@example.com')
    await count(1)
    expect(await page.locator('main section:not([hidden]) h2').allInnerTexts()).toEqual(['Removes', 'Steps'])
  })
})

it('sorts who can do what by a column, keeps its search in view, and leads from a point to its section', async () => {
  const html = renderPlanHtml({ ...accessPlan, changes: fullPlan.changes, steps: fullPlan.steps }, { hash, link })
  await whileOpen(
    html,
    async (page) => {
      const who = () => page.locator('table').first().locator('tbody tr td:nth-child(2)').allInnerTexts()
      await page.locator('th button', { hasText: 'who' }).first().click()
      const sorted = await who()
      expect(sorted).toEqual([...sorted].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })))
      await page.locator('th button', { hasText: 'who' }).first().press('Enter')
      expect(await who()).not.toEqual(sorted)
      await page.locator('.points a', { hasText: '1 group is deleted' }).click()
      expect(await page.locator('section:target h2').innerText()).toBe('Deletes')
      await page.evaluate('scrollTo(0, 2000)')
      expect(await page.locator('input[type=search]').boundingBox()).toMatchObject({
        y: expect.toSatisfy((y: number) => y >= 0 && y < 300),
      })
      await page.locator('nav summary').click()
      expect(await page.locator('nav a').count()).toBeGreaterThan(4)
    },
    { viewport: { width: 390, height: 844 } },
  )
})

/** Words of the headings of tables that stand on two lines. */
const brokenHeadings = `[...document.querySelectorAll('th')].flatMap((heading) =>
  [...heading.textContent.matchAll(/\\S+/g)].filter(({ index, 0: word }) => {
    const range = document.createRange()
    range.setStart(heading.firstChild, index)
    range.setEnd(heading.firstChild, index + word.length)
    return range.getClientRects().length > 1
  }).map(([word]) => word))`

/** Each colour and each width, or all four where all is tried. */
const looks = (
  [
    ['light', 1200],
    ['dark', 1200],
    ['light', 375],
    ['dark', 375],
  ] as const
).filter((_, index) => isThorough || index === 0 || index === 3)
it.each(looks)('can be used by everybody: %s, %i wide', async (colorScheme, width) => {
  const pages = [
    renderPlanHtml(fullPlan, { hash, link }),
    renderReportHtml(troubledReport, { hash }),
    renderPlanHtml({ ...drifted, history: historyOf(0) }, { hash, drift: {} }),
  ]
  for (const html of pages) {
    const faults = await whileOpen(
      // The page lets no script run but its own, so the check comes in by the browser's own door.
      html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''),
      async (page) => {
        await page.addScriptTag({ path: axePath })
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await page.evaluate(brokenHeadings)).toEqual([])
        return page.evaluate<string[]>(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
        )
      },
      { colorScheme, viewport: { width, height: 900 } },
    )
    expect(faults).toEqual([])
  }
})

it('has several results on one page, under one filter', async () => {
  const other = { ...fullPlan, changes: fullPlan.changes.slice(0, 3) }
  const all = [
    { command: 'plan', plan: fullPlan },
    { command: 'drift', plan: other },
    { command: 'apply', report: troubledReport },
  ] as const
  await whileOpen(renderCombinedHtml(all, { hash }), async (page) => {
    expect(await page.locator('form').count()).toBe(1)
    expect(await page.locator('h1').count()).toBe(3)
    const ids = await page.locator('article').evaluateAll((found) => found.map((each) => each.id))
    expect(new Set(ids.filter((id) => id !== '')).size).toBe(fullPlan.changes.length + 3)
    await page.fill('input[name=search]', 'ErpUrl')
    await expect.poll(() => shown(page).count()).toBe(3)
  })
})

it('draws what the last runs of each target found, also on paper, and says no more news than are of all', async () => {
  const targets = ['test', 'prod'].map((name, more) => ({
    ...drifted,
    target: { ...drifted.target, name },
    history: historyOf(more),
  }))
  const html = renderCombinedHtml(
    targets.map((plan) => ({ command: 'drift', plan })),
    { hash },
  )
  await whileOpen(html, async (page) => {
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('svg.trend').count()).toBe(2)
    expect(await page.locator('svg.trend').first().locator('rect').count()).toBe(3)
    expect(await page.locator('main').innerText()).not.toContain('New since')
    expect(await page.locator('svg.trend title').first().textContent()).toContain('<img src=x onerror=alert(1)>')
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('svg.trend').first().isVisible()).toBe(true)
    // Each row counts once below each of its tags.
    const chips = await page.locator('[data-tag=changed] b').innerText()
    expect(chips).toBe(String(await page.locator('article[data-t*=changed]').count()))
  })
  await whileOpen(renderPlanHtml({ ...drifted, history: historyOf(0) }, { hash, drift: {} }), async (page) => {
    expect(await page.locator('main').innerText()).toContain(
      'New since the run of 2026-11-02T03:00:00.000Z, 1 of 1 difference:',
    )
  })
})

it('is whole without its script', async () => {
  await whileOpen(
    renderPlanHtml(fullPlan, { hash }),
    async (page) => {
      expect(await page.locator('form').isVisible()).toBe(false)
      expect(await shown(page).count()).toBe(rows)
    },
    { javaScriptEnabled: false },
  )
})

it('takes foreign text for text', async () => {
  await fc.assert(
    fc.asyncProperty(hostilePlan, fc.boolean(), async (plan, isAlone) => {
      const both = [
        { command: 'plan', plan },
        { command: 'drift', plan },
      ] as const
      const html = isAlone ? renderPlanHtml(plan, { hash, link }) : renderCombinedHtml(both, { hash, link })
      expect(html).not.toContain(secret)
      await whileOpen(html, async (page) => {
        const found = await page.evaluate<Record<'elements' | 'links' | 'handlers', string[]> & { scripts: number }>(`({
          elements: [...new Set([...document.body.querySelectorAll('*')].map((each) => each.localName))],
          scripts: document.scripts.length,
          links: [...document.links].map((each) => each.getAttribute('href')),
          handlers: [...document.querySelectorAll('*')].flatMap((each) =>
            [...each.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name)),
        })`)
        expect(found.scripts).toBe(1)
        expect(found.handlers).toEqual([])
        expect(
          found.elements.filter((name) => ['img', 'iframe', 'object', 'embed', 'style', 'base'].includes(name)),
        ).toEqual([])
        expect(
          found.links.filter((href) => !/^#(?:t\d+)?[cs]\d+$|^https:\/\/git\.example\.com\/blob\/abc\//.test(href)),
        ).toEqual([])
      })
    }),
    { numRuns: isThorough ? 25 : 8 },
  )
})

it('draws which step waits for which, and says it in words', async () => {
  const steps = [
    step(1, 'user/anna@example.com', 'create'),
    step(2, 'group/clerks@example.com', 'create', { dependsOn: ['1'] }),
    step(3, 'constant/main/Url', 'update'),
  ]
  const change = (address: string, action: 'create' | 'update') => ({
    address,
    kind: address.split('/')[0] ?? '',
    action,
    differences: [],
  })
  const plan = planOf(
    [
      change('constant/main/Url', 'update'),
      change('group/clerks@example.com', 'create'),
      change('user/anna@example.com', 'create'),
    ],
    steps,
  )
  await whileOpen(renderPlanHtml(plan, { hash }), async (page) => {
    expect(await page.locator('svg a').count()).toBe(2)
    expect(await page.locator('svg path.go').count()).toBe(1)
    const within = await page.locator('svg a').evaluateAll((all) =>
      all.map((each) => {
        const [box, text] = ['rect', 'text'].map((name) => each.querySelector(name)?.getBoundingClientRect())
        return box !== undefined && text !== undefined && text.left > box.left && text.right < box.right
      }),
    )
    expect(within).toEqual([true, true])
    expect(await page.locator('section ol li').allTextContents()).toContain('create · group/clerks@example.com after 1')
    await page.locator('svg a').first().click()
    expect(await page.locator('article:target').innerText()).toContain('user/anna@example.com')
  })
})

it('shows when each step of an apply ran', async () => {
  const report = {
    ...troubledReport,
    elapsedMs: 1000,
    steps: troubledReport.steps.map((each, index) => ({ ...each, startedMs: index * 100, elapsedMs: 150 })),
  }
  await whileOpen(renderReportHtml(report, { hash }), async (page) => {
    expect(await page.locator('svg rect').count()).toBe(report.steps.length)
    const bars = await page.locator('svg rect').evaluateAll((all) => all.map((each) => Number(each.getAttribute('x'))))
    expect(bars).toEqual([...bars].sort((a, b) => a - b))
  })
})

it('holds 5,000 changes in less than 3 MB', async () => {
  const all = Array.from({ length: 5000 }, (_, index) => `user/person-${index}@example.com`)
  const plan = planOf(
    all.map((address) => ({
      address,
      kind: 'user',
      action: 'update' as const,
      differences: [{ path: 'jobTitle', before: 'Clerk', after: 'Lead of a team' }],
      place: { file: 'manifests/people/users.yaml', line: 12, column: 5 },
    })),
    all.map((address, index) => step(index, address, 'update')),
  )
  const html = renderPlanHtml(plan, { hash, link })
  expect(Buffer.byteLength(html)).toBeLessThan(3_000_000)
  await whileOpen(html, async (page) => {
    expect(await shown(page).count()).toBe(100)
    await page.locator('button.more').click()
    expect(await shown(page).count()).toBe(600)
    await page.fill('input[name=search]', 'person-4999@')
    await expect.poll(() => shown(page).count()).toBe(1)
  })
})
