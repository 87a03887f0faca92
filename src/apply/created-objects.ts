// The objects that this run created, and the ids under which the platform knows them.

export interface CreatedObjects {
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
