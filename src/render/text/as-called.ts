// Commands that are printed to be copied, as this process was called: by npx, the bare name leads nowhere.
import { type Flow, indent, piece, wrapText } from './line.ts'

let program = 'svcsync'

export function callItself(name: string): void {
  program = name
}

export function asCalled(command: string): string {
  return command.replace(/^svcsync(?= )/, program)
}

export function withCommands(sentence: string): string {
  return sentence.replaceAll('`svcsync ', `\`${program} `)
}

export function hintLines(margin: number, hint: string | undefined): Flow[] {
  return hint === undefined ? [] : [wrapText([indent(margin), piece('hint: ', 'good')], withCommands(hint))]
}
