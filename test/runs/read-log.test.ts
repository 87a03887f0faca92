// Logs of imports in pieces: whatever they hold, and wherever the network cuts them, each text is told once and as it
// was written.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlatformClient } from '../../src/platform/client.ts'
import { createNews, readLog } from '../../src/runs/import/read-log.ts'

/** A platform whose answer comes in these pieces; what broke off before comes first. */
const inPieces = (answer: Buffer, cuts: readonly number[], broken = 0): PlatformClient => {
  const ends = [...new Set([...cuts.map((cut) => cut % (answer.length + 1)), answer.length])].sort((a, b) => a - b)
  const call = async ({ into }: { into: () => (bytes: Buffer) => void }) => {
    if (broken > 0) into()(answer.subarray(0, broken))
    const take = into()
    for (const [index, end] of ends.entries()) take(answer.subarray(ends[index - 1] ?? 0, end))
  }
  return { call } as unknown as PlatformClient
}

async function told(path: string, answer: string | Buffer, cuts: readonly number[] = []) {
  let log = ''
  const add = (text: string): void => {
    log += text
  }
  const read = await readLog(inPieces(Buffer.from(answer), cuts), path, () => add)
  return { ...read, log }
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', 'u', 'ł', '😀', ',', '}', ' ') }),
)
const cutting = fc.array(fc.nat(200), { maxLength: 9 })

it('reads any log of an answer that is JSON, whatever stands around it and wherever it is cut', () =>
  fc.assert(
    fc.asyncProperty(anyText, cutting, fc.boolean(), fc.boolean(), async (text, cuts, isFirst, isSpaced) => {
      const status = isFirst ? { logs: text, status: 1, more: '"' } : { status: 1, logs: text }
      const read = await told('/status', JSON.stringify(status, undefined, isSpaced ? 2 : undefined), cuts)
      expect(read.log).toBe(text)
      expect(read.json).toEqual({ ...status, logs: '' })
      expect((await told('/logs', JSON.stringify(text), cuts)).log).toBe(text)
    }),
  ))

it.each([
  [
    'quotation marks that nobody escaped',
    '{"status":2,"logs":"the "a.xml" is C:\\x\nbroken',
    'the "a.xml" is C:\\x\nbroken',
  ],
  ['no quotation marks at all', '{"status":2,"logs":the text}', 'the text}'],
])('tells a log with %s, and what stands before it', async (_, answer, log) => {
  for (const cuts of [[], [3, 11, 19, 20, 21, 25, 31, 32]])
    expect(await told('/status', answer, cuts)).toMatchObject({ log, json: undefined })
})

it('gives back whole what has no text in the place of a log', async () => {
  for (const answer of ['{"status":3,"logs":null}', '{"status":1,"logs":["a"]}', '<html>"logs":"a"</html>'])
    expect(await told('/status', answer, [9])).toMatchObject({ log: '', text: answer })
})

it('tells of each answer what is new, once, also where an answer breaks off and comes again', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(150_000), { maxLength: 4 }),
      cutting,
      fc.nat(200_000),
      async (sizes, cuts, cut) => {
        let log = ''
        let text = ''
        const news = createNews((piece) => {
          log += piece
        })
        for (const size of sizes) {
          text += Array.from({ length: Math.ceil(size / 20) }, (_, at) => `line ${at} of ${size}`).join('\n')
          const answer = Buffer.from(JSON.stringify({ status: 5, logs: text }))
          await readLog(inPieces(answer, cuts, Math.min(cut, answer.length - 1)), '/status', news.begin)
          news.end()
          expect(log === text).toBe(true)
        }
        expect(news.isNone()).toBe(text === '')
      },
    ),
    { numRuns: 20 },
  ))

it('tells another log whole', async () => {
  const pieces: string[] = []
  const news = createNews((piece) => pieces.push(piece))
  for (const text of ['first', 'second', '', 'second'])
    await readLog(inPieces(Buffer.from(JSON.stringify({ logs: text })), []), '/status', news.begin).then(news.end)
  expect(pieces).toEqual(['first', 'second', 'second'])
})

it('tells again what stands behind another beginning, or was gone in between, though it was told before', async () => {
  const [first, second, other] = ['a', 'b', 'c'].map((letter) => letter.repeat(65_536)) as [string, string, string]
  const pieces: string[] = []
  const news = createNews((piece) => pieces.push(piece))
  for (const text of [first + second, other + second, other, other + second])
    await readLog(inPieces(Buffer.from(JSON.stringify({ logs: text })), []), '/status', news.begin).then(news.end)
  expect(pieces.map((piece) => [piece[0], piece.length])).toEqual(
    ['a', 'b', 'c', 'b', 'b'].map((letter) => [letter, 65_536]),
  )
})
