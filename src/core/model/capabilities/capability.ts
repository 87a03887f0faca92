// What few kinds can, or few collections: each capability is a module of its own here, which says its type and what holds of it.
// The engine asks a kind for it by that module, and never by the name of the kind.

export interface Capability<Name extends string = string, Value = unknown> {
  readonly can: Name
  readonly value: Value
}

export interface Capable {
  readonly capabilities?: readonly Capability[]
}

/** `stock({ … })` in the definition of a kind, and `stock.of(kind)` wherever the engine wants to know. */
export function defineCapability<Value>() {
  return <const Name extends string>(can: Name) =>
    Object.assign((value: Value): Capability<Name, Value> => ({ can, value }), {
      of: ({ capabilities }: Capable): Value | undefined =>
        capabilities?.find((each) => each.can === can)?.value as Value | undefined,
    })
}
