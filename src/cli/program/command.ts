// A command is one object. Its options, help, completion, page of the reference and exit codes follow from it.
import type { Console } from '../terminal/console.ts'
import type { ExitCode, exitCodes } from './exit-codes.ts'

/** One option. Its flag is its key (`baseUrl`: `--base-url`), and `Value` is what a handler gets. */
type OptionEntry<Value> = {
  /** Absent: the option has its negation alone. */
  readonly does?: string
  /** The effect of its negation (`--no-…`); absent: it has none. */
  readonly not?: string
  readonly short?: string
  /** As the help shows it: `<file>`, `[word]`, `[files...]`. Absent: the option is a switch. */
  readonly takes?: string
  readonly choices?: readonly string[]
  readonly initial?: Value
  /** The initial value in words, if the help should not show the value itself. */
  readonly initially?: string
  readonly conflicts?: readonly string[]
  readonly isRequired?: true
  parse?(text: string, before: Value | undefined): Value
}

type ArgumentEntry<Value> = {
  readonly does: string
  readonly form: 'required' | 'optional' | 'many'
  readonly choices?: readonly string[]
  /** Carries the type alone. */
  readonly value?: Value
}

type Options = Readonly<Record<string, OptionEntry<unknown>>>
type Arguments = Readonly<Record<string, ArgumentEntry<unknown>>>

type ValueOf<Entry> = Entry extends OptionEntry<infer Value> | ArgumentEntry<infer Value> ? Value : never
type OptionalKeys<Table> = { [Key in keyof Table]: undefined extends ValueOf<Table[Key]> ? Key : never }[keyof Table]

export type Values<Table> = { readonly [Key in Exclude<keyof Table, OptionalKeys<Table>>]: ValueOf<Table[Key]> } & {
  readonly [Key in OptionalKeys<Table>]?: Exclude<ValueOf<Table[Key]>, undefined>
}

/** Exit codes besides `done` and `error`, which every command has: `true` as everywhere, or in which case here. */
type ExitDescriptions = Partial<Readonly<Record<Exclude<keyof typeof exitCodes, 'done' | 'error'>, string | true>>>

/** A line to copy, and what it is for where that does not show. */
type Example = readonly [line: string, purpose?: string]

interface Description<Table extends Options, Args extends Arguments, Codes extends ExitDescriptions> {
  readonly does: string
  readonly args?: Args
  readonly options: Table
  readonly exits?: Codes
  readonly examples: readonly Example[]
}

type Handler<Given, Args, Code> = (
  given: Given,
  console: Console,
  args: Args,
  all: Readonly<Record<string, Command>>,
) => Promise<Code>

/** Any command, for those who walk over all of them. */
export interface Command extends Description<Options, Arguments, ExitDescriptions> {
  /** Loads the handler when the command is called. */
  load(): Promise<Handler<never, never, ExitCode>>
}

export function command<
  Table extends Options,
  Args extends Arguments = Record<never, never>,
  Codes extends ExitDescriptions = Record<never, never>,
>(
  entry: Description<Table, Args, Codes> & {
    /** Nothing but a listed exit code compiles. */
    load(): Promise<
      Handler<Values<Table>, Values<Args>, ExitCode<'done' | 'error' | (keyof Codes & keyof typeof exitCodes)>>
    >
  },
): Command {
  return entry
}

export function flag(
  does: string,
  more: Pick<OptionEntry<boolean>, 'short' | 'not'> = {},
): OptionEntry<boolean | undefined> {
  return { does, ...more }
}

export function text(
  takes: string,
  does: string,
  more: Pick<OptionEntry<string>, 'short' | 'parse'> = {},
): OptionEntry<string | undefined> {
  return { does, takes, ...more } as OptionEntry<string | undefined>
}

export function choice<Choice extends string>(
  takes: string,
  does: string,
  choices: readonly Choice[],
): OptionEntry<Choice | undefined> {
  return { does, takes, choices }
}

/** Its value may be left out. */
export const valued = <Value>(takes: string, does: string): OptionEntry<Value | true | undefined> => ({ takes, does })

export const mandatory = (takes: string, does: string): OptionEntry<string> => ({ takes, does, isRequired: true })

export const negated = (not: string): OptionEntry<boolean> => ({ not })

export function parsed<Value>(
  takes: string,
  does: string,
  parse: (text: string, before?: Value) => Value,
): OptionEntry<Value | undefined> {
  return { takes, does, parse }
}

export function preset<Value>(
  takes: string,
  does: string,
  initial: Value,
  more: Pick<OptionEntry<Value>, 'parse' | 'choices' | 'initially'>,
): OptionEntry<Value> {
  return { takes, does, initial, ...more }
}

export function repeatable(takes: string, does: string, initially = 'none'): OptionEntry<readonly string[]> {
  const parse = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  return preset(takes, `${does} (repeatable)`, [], { initially, parse })
}

export function required<Choice extends string = string>(
  does: string,
  choices?: readonly Choice[],
): ArgumentEntry<Choice> {
  return { does, form: 'required', ...(choices && { choices }) }
}

export const optional = (does: string): ArgumentEntry<string | undefined> => ({ does, form: 'optional' })

export const many = (does: string): ArgumentEntry<readonly string[]> => ({ does, form: 'many' })

/** `baseUrl` → `--base-url`. */
export const flagOf = (key: string, isNegated = false): string =>
  `--${isNegated ? 'no-' : ''}${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
