// Block scalars: their lines without the indentation, so that they can be moved.
import type { BlockScalarNode } from './layout.ts'

/** `parentColumn`: of the collection that the scalar stands in; an indentation that is written counts from there. */
export function readBlockScalar(
  source: string,
  header: string,
  props: readonly string[],
  parentColumn: number,
): BlockScalarNode {
  const written = source.split('\n')
  // The text ends with the break of its last line, which does not begin another one.
  if (written.at(-1) === '') written.pop()
  const digit = /\d/.exec(header)?.[0]
  const indent = digit === undefined ? indentOf(written) : parentColumn + Number(digit)
  const lines = written.map((line) => line.slice(indent))
  const keepsEnd = header.includes('+')
  while (!keepsEnd && lines.length > 0 && lines.at(-1) === '') lines.pop()
  // The lines always stand two columns further in than their parent.
  return { type: 'block-scalar', props, header: header.replace(/\d/, '2'), lines, keepsEnd }
}

function indentOf(lines: readonly string[]): number {
  const first = lines.find((line) => /[^ ]/.test(line))
  if (first !== undefined) return first.search(/[^ ]/)
  return Math.max(0, ...lines.map((line) => line.length))
}
