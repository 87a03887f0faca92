// The least that sending a file in chunks could cost: each read, put into a checksum and sent once, one after another,
// over one kept connection. Prints how long the sending took, in milliseconds.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { openBareHttp } from './bare-http.ts'

const [url = '', file = '', size = ''] = process.argv.slice(2)
const chunkSize = Number(size)
const boundary = 'bare'
const head = Buffer.from(
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="chunk"\r\n` +
    'content-type: application/octet-stream\r\n\r\n',
)
const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const target = { url, clientId: 'svcsync', clientSecret: 'svcsync-secret', inFlight: 1 }
let token = ''
const send = await openBareHttp(target, (given) => {
  token = given
})
const handle = await open(file)
const { size: totalSize } = await handle.stat()
const { sessionId } = await send('POST', '/db/1/importsessions', { chunkSize, totalSize })
const startedMs = performance.now()
const buffer = Buffer.alloc(chunkSize)
const hash = createHash('sha256')
for (let number = 1, from = 0; from < totalSize; number++, from += chunkSize) {
  const { bytesRead } = await handle.read(buffer, 0, chunkSize, from)
  await new Promise<void>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + bytesRead + tail.length,
    }
    const path = `${url}/api/data/v6.0/db/1/importsessions/${sessionId}/${number}`
    const asked = request(path, { method: 'POST', agent, headers }, (incoming) => {
      incoming
        .resume()
        .on('end', () => (incoming.statusCode === 200 ? resolve() : reject(new Error(`${incoming.statusCode}`))))
    })
    asked.on('error', reject)
    asked.write(head)
    asked.write(buffer.subarray(0, bytesRead))
    asked.end(tail)
    hash.update(buffer.subarray(0, bytesRead))
  })
}
process.stdout.write(String(performance.now() - startedMs))
await handle.close()
agent.destroy()
