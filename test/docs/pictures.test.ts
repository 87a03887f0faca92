// The pictures of the README are of what svcsync renders today.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pictureDigests, pictureFolder } from '../../scripts/pictures/picture-sources.ts'

it('are of today, small, and shown', () => {
  const taken = JSON.parse(readFileSync(`${pictureFolder}/sources.json`, 'utf8'))
  expect(
    taken,
    'What a comment or a page looks like has changed: run `npm run pictures`, and look at docs/pictures',
  ).toEqual(pictureDigests())
  const readme = readFileSync('README.md', 'utf8')
  for (const name of Object.keys(taken)) {
    const picture = readFileSync(`${pictureFolder}/${name}.png`)
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeLessThan(150_000)
    expect(readme).toContain(`(${pictureFolder}/${name}.png)`)
  }
})
