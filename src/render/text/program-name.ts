// Commands that are printed to be copied, as this process was called: by npx, the bare name leads nowhere.
import { type Flow, indent, piece, wrapText } from './line.ts'

let program = 'svcsync'

export function setProgramName(name: string): void {
  program = name
}

export const withProgramName = (command: string): string => command.replace(/^svcsync(?= )/, program)

export const withCommands = (sentence: string): string => sentence.replaceAll('`svcsync ', `\`${program} `)

export const hintLines = (margin: number, hint: string | undefined): Flow[] =>
  hint === undefined ? [] : [wrapText([indent(margin), piece('hint: ', 'good')], withCommands(hint))]
