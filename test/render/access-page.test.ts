// The page of access in a real browser: what it finds, by keyboard and on a telephone, on paper, and with very much in
// it.
import { createHash } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccessReport, AccessRow } from '../../src/core/plan/access-report.ts'
import { renderAccessHtml } from '../../src/render/html/access-page.ts'
import { openBrowser } from '../harness/browser.ts'
import { axePath, whilePageOpen } from '../harness/open-page.ts'
import { isThorough } from '../harness/thorough.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('base64')

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const whileOpen = <T>(html: string, use: (page: Page) => Promise<T>, options = {}): Promise<T> =>
  whilePageOpen(browser, html, use, options)

const since = {
  commit: '7517284aabbcc',
  date: '2026-03-12T08:00:00Z',
  author: 'Anna Nowak',
  claimedApprovals: ['Jan Kos'],
}
const orders = 'process/main/Purchasing/Orders'
function row(subject: string, level: string, address: string, more: Partial<AccessRow> = {}): AccessRow {
  return {
    ...{ subject, level, address, company: null, via: [], kind: 'privilege', live: true, afterApply: true },
    ...{ declared: true, declaredWay: { via: [] }, places: [], atBase: null, accepted: null, since, licensed: null },
    ...more,
  }
}
function answerOf(rows: readonly AccessRow[], more: Partial<AccessReport> = {}): AccessReport {
  return {
    ...{ rows, holders: [], perhapsGroups: [], otherWays: [], upcoming: [], unread: [], base: null, looked: [] },
    ...{ objects: [], above: [], licencesOf: () => [], licencesUnread: null, readAt: '2026-11-01T08:00:00Z' },
    outside: { roles: ['auditors', 'system administrators'], reviewed: null, unlisted: [], unknown: [] },
    target: { name: 'prod', baseUrl: 'https://svc.example.com', apiVersion: '6.0', databases: { main: 1 } },
    ...more,
  }
}

const answer = answerOf(
  [
    row('anna@example.com', 'Administrator', 'application/main/Purchasing', {
      via: ['admins@example.com'],
      licensed: true,
    }),
    row('anna@example.com', 'Start', orders, {
      ...{ via: ['clerks@example.com', 'finance@example.com'], licensed: true },
      declaredWay: { via: ['clerks@example.com', 'finance@example.com'] },
      places: [3, 7, 9].map((line) => ({ file: 'manifests/groups.yaml', line, column: 1 })),
    }),
    row('maria@example.com', 'Start', orders, { company: 'PL01', licensed: false }),
    row('maria@example.com', 'ReadOnly', orders, {
      ...{ licensed: false, declared: false, declaredWay: null, since: null, afterApply: false },
    }),
    row('jan@example.com', 'ReadOnly', orders, { live: false }),
    row('auditors@corp', 'ReadOnly', orders),
  ],
  {
    licencesOf: (svcId) => (svcId === 'anna@example.com' ? ['PowerUser'] : []),
    perhapsGroups: ['auditors@corp'],
    above: [
      {
        ...{ address: 'application/main/Purchasing', level: 'Administrator', holds: [orders] },
        entries: [row('anna@example.com', 'Administrator', 'application/main/Purchasing')],
      },
    ],
  },
)
const review = {
  ...{ startedAt: '2026-09-01T00:00:00Z', finishedAt: '2026-09-15T00:00:00Z' },
  knows: ({ subject }: AccessRow) => subject !== 'maria@example.com',
}
const html = renderAccessHtml(answer, { hash, review, only: [], link: undefined })
const lines = (page: Page) => page.locator('#view tbody tr').allInnerTexts()
const spaced = (texts: readonly string[]) => texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())

it('finds a person, and shows what they can do, why, since when and with which licence', async () => {
  await whileOpen(html, async (page) => {
    expect(spaced(await lines(page))).toEqual([
      'anna@example.com 2 entries 1 PowerUser',
      'auditors@corp perhaps a group 1 entry',
      'jan@example.com 1 entry',
      'maria@example.com 2 entries no licence',
    ])
    await page.fill('input[name=search]', 'ANNA')
    await expect.poll(() => lines(page)).toHaveLength(1)
    // By keyboard alone.
    await page.press('input[name=search]', 'Enter')
    await expect.poll(() => page.locator('#view h2').innerText()).toBe('anna@example.com')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('anna@example.com')
    expect(spaced(await lines(page))).toEqual([
      'Administrator application/main/Purchasing admins@example.com ' +
        'Administrator 2026-03-12 7517284 by Anna Nowak, claims approval by Jan Kos',
      `Start ${orders} clerks@example.com finance@example.com Start 2026-03-12 7517284 by Anna Nowak, ` +
        'claims approval by Jan Kos',
    ])
    expect(await page.locator('#view').innerText()).toContain('Licence: PowerUser')
    await page.locator('a', { hasText: orders }).click()
    await expect.poll(() => page.locator('#view h3').allInnerTexts()).toEqual(['ReadOnly (3)', 'Start (2)'])
    expect(await page.locator('#view p').innerText()).toBe(
      'Above it, 1 person: Administrator of application/main/Purchasing',
    )
    await page.goBack()
    await expect.poll(() => page.locator('#view h2').innerText()).toBe('anna@example.com')
  })
})

it('leads from each step of a chain to the line that declares it, or names the line', async () => {
  const told = (page: Page, of: 'title' | 'href') =>
    page.evaluate<string[]>(`(async () => {
      location.hash = 'person=anna%40example.com'
      await new Promise((next) => addEventListener('hashchange', () => setTimeout(next), { once: true }))
      return [...document.querySelectorAll('#view tr:nth-child(2) .chain [title]')].map((each) => each.${of})
    })()`)
  await whileOpen(html, async (page) =>
    expect(await told(page, 'title')).toEqual([3, 7, 9].map((line) => `manifests/groups.yaml:${line}`)),
  )
  const link = ({ file, line }: { file: string; line: number }) =>
    `https://forge.example.com/${file}#L${line}-${line + 1}`
  await whileOpen(renderAccessHtml(answer, { hash, review, only: [], link }), async (page) =>
    expect((await told(page, 'href'))[1]).toBe('https://forge.example.com/manifests/groups.yaml#L7-8'),
  )
})

it('shows an object by level, what is new since a review, what is not declared, and unlicensed people', async () => {
  await whileOpen(html, async (page) => {
    const view = async (name: string) => {
      await page.locator(`[data-view=${name}]`).click()
      await expect.poll(() => page.locator(`[data-view=${name}]`).getAttribute('aria-current')).toBe('page')
      return spaced(await lines(page))
    }
    expect(await view('objects')).toEqual(['application/main/Purchasing 1 person 1', `${orders} 4 people`])
    expect(await view('new')).toEqual([
      `maria@example.com ReadOnly ${orders} directly not declared new since the review, until the next apply`,
      `maria@example.com Start (PL01) ${orders} directly 2026-03-12 7517284 by Anna Nowak, ` +
        'claims approval by Jan Kos new since the review',
    ])
    expect(await view('undeclared')).toHaveLength(1)
    expect(await view('unlicensed')).toHaveLength(2)
    await page.fill('input[name=search]', 'nobody at all')
    await expect.poll(() => page.locator('output').innerText()).toBe('0 entries')
  })
  await whileOpen(
    renderAccessHtml(answer, { hash, review: undefined, only: ['--object process/**'], link: undefined }),
    async (page) => {
      await page.locator('[data-view=new]').click()
      await expect.poll(() => page.locator('#view').innerText()).toContain('No review has been finished')
      expect(await page.locator('header').innerText()).toContain('This page shows a part: --object process/**')
    },
  )
})

const looks = (
  [
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const
).filter((_, index) => isThorough || index === 0 || index === 3)
it.each(looks)('can be used by everybody: %s, %i wide', async (colorScheme, width) => {
  const faults = await whileOpen(
    html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''),
    async (page) => {
      await page.addScriptTag({ path: axePath })
      const found: string[] = []
      for (const to of ['#people', '#new', '#person=anna%40example.com', `#object=${encodeURIComponent(orders)}`]) {
        await page.evaluate(`location.hash = ${JSON.stringify(to)}`)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        // On a telephone each cell is as wide as its card.
        const cells = "[...document.querySelectorAll('#view tbody td:not(.empty)')].map((each) => each.offsetWidth)"
        if (width < 400) expect(Math.min(...(await page.evaluate<number[]>(cells)))).toBeGreaterThan(width / 2)
        found.push(
          ...(await page.evaluate<string[]>(
            'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
          )),
        )
      }
      return found
    },
    { colorScheme, viewport: { width, height: 900 } },
  )
  expect(faults).toEqual([])
})

it.each([801, 1000, 1280])('cuts no column off however long the names are: %i wide', async (width) => {
  const long = (name: string) => `${name}${'-department-of-purchasing'.repeat(3)}@example.com`
  const [group, address] = [long('clerks'), `${orders}/workflow/Main/form-type/${'InvoiceOfPurchasing'.repeat(3)}`]
  const rows = ['Administrator', 'ReadOnlyWithoutAttachments'].map((level) =>
    row(long('anna'), level, address, { ...{ company: 'PL01', via: [group, long('finance')], declared: false } }),
  )
  const page = renderAccessHtml(answerOf(rows), { hash, review, only: [], link: undefined })
  const use = async (page: Page) => {
    const cut = "[...document.querySelectorAll('.wide')].map((each) => each.scrollWidth - each.clientWidth)"
    for (const to of ['undeclared', `person=${long('anna')}`, `object=${encodeURIComponent(address)}`]) {
      await page.evaluate(`location.hash = ${JSON.stringify(to)}`)
      await expect.poll(() => page.locator('#view td').count()).toBeGreaterThan(5)
      expect(Math.max(...(await page.evaluate<number[]>(cut)))).toBe(0)
    }
  }
  await whileOpen(page, use, { viewport: { width, height: 900 } })
})

it('takes foreign text for text, and loads nothing', async () => {
  const foreign = [
    '</script><img src=x onerror=alert(1)>',
    '<!--<script>',
    'a\'b"&\u202ecba',
    '%E0%A4%A',
    '#person=x',
    'a=b',
  ]
  const rows = foreign.flatMap((text) => [row(text, 'Start', `process/main/${text}`, { via: [text], company: text })])
  await whileOpen(
    renderAccessHtml(answerOf(rows, { perhapsGroups: foreign }), { hash, review, only: [], link: undefined }),
    async (page) => {
      expect(await lines(page)).toHaveLength(foreign.length)
      for (let index = 0; index < foreign.length; index++) {
        await page.locator('[data-view=people]').click()
        await page.locator('#view tbody a').nth(index).click()
        await expect.poll(() => page.locator('#view td').count()).toBe(5)
      }
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.evaluate<string>('document.body.innerText')).not.toContain('\u202e')
    },
  )
})

it('says on paper all of what is asked for, and without its script where the same is', async () => {
  const rows = Array.from({ length: 150 }, (_, each) => row('anna@example.com', 'Start', `process/main/A/P${each}`))
  const many = renderAccessHtml(answerOf(rows), { hash, review, only: [], link: undefined })
  await whileOpen(many, async (page) => {
    await page.locator('#view tbody a').first().click()
    await expect.poll(() => lines(page)).toHaveLength(100)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await lines(page)).toHaveLength(150)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('form').isVisible()).toBe(false)
  })
  await whileOpen(
    many,
    async (page) => expect(await page.locator('main').innerText()).toContain('svcsync access list --format csv'),
    { javaScriptEnabled: false },
  )
})

it('shows 10,000 people and 100,000 entries within 3 seconds, and finds one at once', async () => {
  const rows = Array.from({ length: 100_000 }, (_, each) =>
    row(`person-${each % 10_000}@example.com`, 'Start', `process/main/A/Process ${each % 4000}`, {
      via: [`group-${each % 700}@example.com`, `department-${each % 50}@example.com`],
      declaredWay: { via: [`group-${each % 700}@example.com`, `department-${each % 50}@example.com`] },
      places: [each, 100_000 + (each % 700), each % 4000].map((line) => ({
        file: 'manifests/main.yaml',
        line,
        column: 1,
      })),
    }),
  )
  const large = renderAccessHtml(answerOf(rows), { hash, review, only: [], link: undefined })
  expect(Buffer.byteLength(large)).toBeLessThan(6_000_000)
  await whileOpen(large, async (page) => {
    const ready = await page.evaluate<number>("performance.getEntriesByType('navigation')[0].loadEventEnd")
    expect(ready).toBeLessThan(3000)
    expect(await page.locator('output').innerText()).toBe('10,000 people')
    const found = await page.evaluate<number>(`(async () => {
      const begun = performance.now()
      location.hash = 'person=person-4999%40example.com'
      await new Promise((next) => addEventListener('hashchange', () => setTimeout(next), { once: true }))
      return performance.now() - begun
    })()`)
    expect(found).toBeLessThan(1000)
    expect(await lines(page)).toHaveLength(10)
  })
})
