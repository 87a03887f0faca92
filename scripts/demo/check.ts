// What the demonstration expects and did not find.
export class DemoFailure extends Error {}

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new DemoFailure(message)
}
