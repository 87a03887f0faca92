// V8's settings for the process of the command; the library leaves those of its user alone.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/** For what looks at the memory, like node's own `--expose-gc`. */
export function exposeCollector(): void {
  globalThis.gc ??= collectGarbage as NodeJS.GCFunction
}

/** The flag counts for new contexts alone. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  setFlagsFromString('--no-expose-gc')
}
