// Commands that are printed to be copied, as this process was called: by npx, the bare name leads nowhere.
import { type Line, type Piece, piece, wrapText } from './line.ts'

let program = 'svcsync'

/** `npx svcsync`: from now on. */
export function callItself(name: string): void {
  program = name
}

/** A command line that begins with `svcsync`. */
export function asCalled(command: string): string {
  return command.replace(/^svcsync(?= )/, program)
}

/** A sentence with command lines in backticks. */
export function withCommands(sentence: string): string {
  return sentence.replaceAll('`svcsync ', `\`${program} `)
}

export function hintLines(before: readonly Piece[], hint: string | undefined, width: number): Line[] {
  return hint === undefined ? [] : wrapText([...before, piece('hint: ', 'good')], withCommands(hint), width)
}
