// Abilities that few kinds or collections have: the engine asks by capability, never by the name of a kind.
export interface Capability<Name extends string = string, Value = unknown> {
  readonly can: Name
  readonly value: Value
}

export function defineCapability<Value>() {
  return <const Name extends string>(can: Name) =>
    Object.assign((value: Value): Capability<Name, Value> => ({ can, value }), {
      of: ({ capabilities }: { readonly capabilities?: readonly Capability[] }): Value | undefined =>
        capabilities?.find((each) => each.can === can)?.value as Value | undefined,
    })
}
