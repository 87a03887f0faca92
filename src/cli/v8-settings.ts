// V8's settings for the process of the command; the library leaves those of its user alone.
import { setFlagsFromString } from 'node:v8'

/** V8 doubles its room for young objects step by step, and copies the declarations of a large project each time. */
export function giveYoungObjectsRoom(): void {
  setFlagsFromString('--semi-space-growth-factor=16')
}

/** V8 grows its heap fourfold before a full collection; this lowers the peak. `percent`: growth of the live heap. */
export function keepHeapSmall(percent = 50): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** V8 would compile undici's WebAssembly parser twice: 90 ms and 36 MB that 10,000 requests do not win back. */
export function keepWasmBaseline(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000')
}
