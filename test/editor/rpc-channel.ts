// JSON-RPC over the streams of a child process, in the framing of the language server protocol.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

export interface Handlers {
  /** Answers what the other side asks for. */
  onRequest(method: string, params: unknown): unknown
  onNotification(method: string, params: unknown): void
}

export class RpcChannel {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #handlers: Handlers
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #received = Buffer.alloc(0)
  #nextId = 1

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv, handlers: Handlers) {
    this.#handlers = handlers
    this.#child = spawn(command, args, { env, stdio: 'pipe' })
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#child.stderr.resume()
    this.#child.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the server ended with ${code}`))
    })
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++
    this.#send({ id, method, params })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  /** Ends the child, by force where it does not end by itself. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  #send(message: Message): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    this.#child.stdin.write(body)
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk])
    for (;;) {
      const headEnd = this.#received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.toString('latin1', 0, headEnd))?.[1])
      const end = headEnd + 4 + length
      if (this.#received.length < end) return
      const body = this.#received.toString('utf8', headEnd + 4, end)
      this.#received = this.#received.subarray(end)
      this.#handle(JSON.parse(body) as Message)
    }
  }

  #handle({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      if (id === undefined) this.#handlers.onNotification(method, params)
      else this.#send({ id, result: this.#handlers.onRequest(method, params) ?? null } as Message)
      return
    }
    const waiting = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }
}
