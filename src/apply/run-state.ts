// The state of a run, and the objects that it created.

export function createRunState(kill: AbortSignal | undefined, onHalt: () => void) {
  let why: string | undefined
  let defect: { readonly error: unknown } | undefined
  /** The first reason stands. */
  const halt = (reason: string): void => {
    if (why !== undefined) return
    why = reason
    onHalt()
  }
  return {
    /** The reason for steps that do not start; undefined while they do. */
    halted: () => why,
    halt,
    /** A defect of ours: halts, and is kept until the report can be given with it. */
    broke(error: unknown): void {
      defect ??= { error }
      halt('not started, because svcsync failed')
    },
    defect: () => defect,
    /** Nothing more is worth waiting for: stopped at once, or halted. */
    isOver: () => kill?.aborted === true || why !== undefined,
  }
}

/** The objects that this run created, and the ids under which the platform knows them. */
export function createCreatedObjects() {
  const selves = new Map<string, string | undefined>()
  return {
    /** `self` undefined: the answer told no id, and the object has to be found by its name. */
    add: (address: string, self: string | undefined) => selves.set(address, self ?? selves.get(address)),
    selfOf: (address: string) => selves.get(address),
    has: (address: string) => selves.has(address),
  }
}
