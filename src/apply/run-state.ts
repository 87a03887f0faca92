// How an apply is to go on: as planned, to its end because of a failure that concerns all, or not at all.

export interface RunState {
  /** What to say of steps that do not start; undefined while they do. */
  halted(): string | undefined
  /** The first reason stands. */
  halt(reason: string): void
  /** A defect of ours: halts, and is kept until the report can be given with it. */
  broke(error: unknown): void
  /** The first defect. */
  defect(): { readonly error: unknown } | undefined
  /** Nothing more is worth waiting for: stopped at once, or halted. */
  isOver(): boolean
}

/** `onHalt` is called once. */
export function createRunState(kill: AbortSignal | undefined, onHalt: () => void): RunState {
  let why: string | undefined
  let defect: { readonly error: unknown } | undefined
  const halt = (reason: string): void => {
    if (why !== undefined) return
    why = reason
    onHalt()
  }
  return {
    halted: () => why,
    halt,
    broke(error) {
      defect ??= { error }
      halt('not started, since svcsync failed')
    },
    defect: () => defect,
    isOver: () => kill?.aborted === true || why !== undefined,
  }
}
