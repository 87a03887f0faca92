// What the parts of an apply know of their run: how it is to go on (as planned, to its end because of a failure that concerns
// all, or not at all), and what it created.

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

/** The objects that this run created, and the ids under which the platform knows them. */
interface CreatedObjects {
  /** `self` undefined: the answer told no id, and the object has to be found by its name. */
  add(address: string, self: string | undefined): void
  selfOf(address: string): string | undefined
  has(address: string): boolean
}

export function createCreatedObjects(): CreatedObjects {
  const selves = new Map<string, string>()
  const addresses = new Set<string>()
  return {
    add(address, self) {
      if (self !== undefined) selves.set(address, self)
      addresses.add(address)
    },
    selfOf: (address) => selves.get(address),
    has: (address) => addresses.has(address),
  }
}
