/**
 * For processes that do many different things a few times each: V8 compiles late what runs often, and collects garbage
 * seldom and on one thread. In threads of its own, both took a quarter of the processor's time.
 */
export const nodeFlags = [
  '--interrupt-budget=600000',
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--wasm-tiering-budget=1000000000',
]
