// Turns text into events, by js-yaml. A syntax error becomes a problem with its exact place.
import { errorAt, InternalError, type Problem } from '@svcsync/errors/index.ts'
import { type Event, parseEvents, YAMLException } from 'js-yaml'
import type { TextSource } from './text-source.ts'

const maxDepth = 50

export function parseYaml(source: TextSource): readonly Event[] | Problem {
  try {
    const events = parseEvents(source.text, { maxDepth })
    source.parsed = true
    return events
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new InternalError('The YAML parser failed', error)
    const conflict = source.text.search(/^<{7} /m)
    if (conflict >= 0) {
      const hint = 'Keep one side, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.'
      return errorAt('SVC1003', 'The file holds an unresolved merge conflict', source.placeAt(conflict), hint)
    }
    const offset = Math.min(error.mark?.position ?? 0, source.text.length)
    const place = source.placeAt(offset)
    if (error.reason.includes('maxDepth')) {
      const hint = 'A manifest has less than ten levels: look for brackets that are not closed.'
      return errorAt('SVC1007', `Values are nested more than ${maxDepth} levels deep`, place, hint)
    }
    const hint = hintFor(error, source.text.slice(0, offset))
    return errorAt('SVC1003', `This is not YAML: ${error.reason}`, place, hint)
  }
}

export function isParsed(result: readonly Event[] | Problem): result is readonly Event[] {
  return Array.isArray(result)
}

/** Hints for the slips that people make most. The words of the parser only choose a hint, nothing depends on them. */
function hintFor({ reason }: YAMLException, before: string): string {
  if (reason.includes('missed comma') && before.endsWith('$')) {
    return 'In brackets and braces a reference needs quotes: `"${…}"`.'
  }
  if (reason.includes('tab')) return 'Indent with spaces.'
  if (reason.includes('quoted scalar') || reason.includes('end of the stream')) {
    return 'Look for a quote or a bracket that is not closed.'
  }
  if (reason.includes('deficient indentation')) {
    // The parser takes no tab before a bracket, though YAML does.
    if (/\t.*$/.test(before)) return 'Write a space instead of the tab before this place.'
    return 'A quote or a bracket is still open here: close it where it ends, or indent what belongs to it.'
  }
  if (reason.includes('flow collection')) return 'Look for a missing comma or bracket.'
  if (reason.includes('escape') || reason.includes('hexadecimal')) {
    return 'In double quotes a backslash starts an escape: write `\\\\`, or use single quotes.'
  }
  if (reason.includes('indentation') || reason.includes('mapping')) {
    return 'Check the indentation; a text that holds `: ` or begins with one of `@`%&*!|>{[` needs quotes.'
  }
  return 'Check the indentation, and the quotes and brackets before this place.'
}
