// fast-check with a seed, so that laws try the same cases in every run of the tests: `SVCSYNC_LAW_SEED` is another one, or
// `random`.
import fc from 'fast-check'

const { SVCSYNC_LAW_SEED = '1' } = process.env
if (SVCSYNC_LAW_SEED !== 'random') fc.configureGlobal({ seed: Number(SVCSYNC_LAW_SEED) })

export * from 'fast-check'
export { fc as default }
