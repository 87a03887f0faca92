// V8's settings for the process of the command; the library leaves those of its user alone.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** For runs that send requests: node holds its modules compiled, and V8 takes those only before a flag has changed. */
export function loadBuiltIns(): void {
  process.getBuiltinModule('node:crypto')
  performance.now()
}

/** V8 doubles its young space in steps, and copies many declarations each time: 16 gives 48 MB at once. */
export function growYoungRoom(factor: 16 | 1): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** V8 grows its heap fourfold before a full collection; this lowers the peak. `percent`: growth of the live heap. */
export function keepHeapSmall(percent = 50): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** V8 would compile undici's WebAssembly parser twice: 90 ms and 36 MB that 10,000 requests do not win back. */
export function keepWasmBaseline(): void {
  setFlagsFromString('--no-wasm-tier-up --no-wasm-dynamic-tiering')
}

/** One manifest may fill a smaller heap before anything else runs. */
const smallHeapBytes = 512 * 1024 * 1024

const lookEveryMs = 50

/**
 * V8 ends a process with a full heap by a signal, and tells only a debugger beforehand: then it calls what `prepare`
 * gave. With a debugger all runs slower by some percent, so it comes once half of a larger heap is in use.
 */
export async function beforeHeapIsFull(prepare: (limitBytes: number) => Promise<() => void>): Promise<void> {
  const { heap_size_limit: limit } = getHeapStatistics()
  if (limit < smallHeapBytes) return listen()
  const timer = setInterval(() => {
    if (getHeapStatistics().used_heap_size < limit / 2) return
    clearInterval(timer)
    listen()
  }, lookEveryMs).unref()

  async function listen(): Promise<void> {
    try {
      const [{ Session }, onFull] = await Promise.all([import('node:inspector'), prepare(limit)])
      const session = new Session()
      session.connect()
      session.on('Debugger.paused', ({ params: { reason } }) => {
        if (reason === 'OOM') onFull()
      })
      session.post('Debugger.enable')
    } catch {
      // This Node has no debugger.
    }
  }
}
