// Takes the pictures of the README in the tests' own browser: `npm run pictures`. A file beside them records their
// sources.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openBrowser } from '../test/harness/browser.ts'
import { pictureDigests, pictureFolder, pictureSources } from './pictures/picture-sources.ts'

const browser = await openBrowser()
try {
  for (const [name, html] of Object.entries(pictureSources())) {
    const page = await browser.newPage({ viewport: { width: name === 'comment' ? 994 : 1000, height: 880 } })
    await page.setContent(html)
    await page.screenshot({ path: resolve(pictureFolder, `${name}.png`) })
    await page.close()
  }
} finally {
  await browser.close()
}
writeFileSync(`${pictureFolder}/sources.json`, `${JSON.stringify(pictureDigests(), undefined, 2)}\n`)
