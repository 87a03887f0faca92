// An expectation of the demonstration that failed.
export class DemoFailure extends Error {}

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new DemoFailure(message)
}
