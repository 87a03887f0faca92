import process from 'node:process'

/**
 * With V8's own 132 KB, files of faults and laws take 19 % longer, with 600 KB 6 %. Later versions count calls instead,
 * and node does not start with a flag that there is not.
 */
const late = Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=300000'] : []

/**
 * For processes that do many different things a few times each: V8 compiles late what runs often, and collects garbage
 * seldom and on one thread. In threads of its own, both took a quarter of the processor's time.
 */
export const nodeFlags = [
  ...late,
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
]
