// How an apply is to go on: as planned, to its end because of a failure that concerns all, or not at all.

export interface RunState {
  /** Why no further step starts; undefined while they do. */
  halted(): string | undefined
  /** The first reason stands. */
  halt(reason: string | undefined): void
  /** Nothing more is worth waiting for: stopped at once, or halted. */
  isOver(): boolean
}

/** `onHalt` is called once. */
export function createRunState(kill: AbortSignal | undefined, onHalt: () => void): RunState {
  let why: string | undefined
  return {
    halted: () => why,
    halt(reason) {
      if (why !== undefined) return
      why = reason
      onHalt()
    },
    isOver: () => kill?.aborted === true || why !== undefined,
  }
}
