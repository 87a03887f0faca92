// Puts the engine's complaints about an expression into this tool's words.
import { RE2JS, RE2JSException } from '@bufbuild/re2'
import type { EvaluationError, ParseError, TypeError as TypeFault } from '@marcbachmann/cel-js'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { matchesName } from './expression-types.ts'

type CelError = ParseError | TypeFault | EvaluationError

const tokens: Readonly<Record<string, string>> = {
  PLUS: '+',
  MINUS: '-',
  MULTIPLY: '*',
  DIVIDE: '/',
  MODULO: '%',
  EQ: '==',
  NE: '!=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  AND: '&&',
  OR: '||',
  NOT: '!',
  IN: 'in',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
  DOT: '.',
  COMMA: ',',
  COLON: ':',
  QUESTION: '?',
  NULL: 'null',
}

const notDeclared = 'Undeclared fields are absent: test with `has(object.field)`, or write `object.?field.orValue("")`.'

export function faultOf(error: unknown) {
  const { summary, range, code } = error as Partial<CelError>
  if (summary === undefined) {
    const pattern = patternFault(error)
    if (pattern !== undefined) return { message: `a pattern cannot be used: ${pattern}`, index: 0 }
    const tooLarge = error instanceof RangeError
    return { message: tooLarge ? 'it is too large' : 'a function got a value that it cannot use', index: 0 }
  }
  const message = messageOf(summary.replaceAll(matchesName, 'matches').replaceAll('$object', 'object'), code)
  return { message, index: range?.start ?? 0, ...(code === 'no_such_key' && { hint: notDeclared }) }
}

export function nameIn(summary: string): string | undefined {
  return /: ([A-Za-z_][A-Za-z0-9_]*)$/.exec(summary)?.[1]
}

function messageOf(summary: string, code: string | undefined): string {
  const subject = nameIn(summary)
  switch (code) {
    case 'no_such_key':
      return subject === undefined ? lowerFirst(summary) : `there is no field \`${subject}\``
    case 'unknown_variable':
      return `there is no variable \`${subject}\``
    case 'no_such_overload':
      return summary.replace(/^no such overload: (.*)$/, 'there is no `$1`')
    case 'no_matching_overload':
      return summary.replace(/^found no matching overload for '(.*)'$/, 'there is no function `$1`')
    case 'unexpected_character':
      // In quotes, it is the end of a word that stands where an operator should.
      return /: '.*'$/s.test(summary) ? 'an operator or the end is wanted' : lowerFirst(summary)
    case 'limit_exceeded':
      return summary.startsWith('Exceeded maxDepth') ? 'it is nested too deeply' : 'it is too long'
    case 'expected_token':
    case 'unexpected_token': {
      const [, wanted, found] = /^(?:Expected (\w+), got|Unexpected token:) (\w+)$/.exec(summary) ?? []
      if (found === 'EOF') return `it ends where ${wanted === undefined ? 'more' : tokenText(wanted)} is wanted`
      if (found === undefined) return lowerFirst(summary)
      return wanted === undefined
        ? `${tokenText(found)} is not allowed here`
        : `${tokenText(wanted)} is expected, but there is ${tokenText(found)}`
    }
    default:
      return lowerFirst(summary)
  }
}

function tokenText(name: string): string {
  const text = tokens[name]
  if (text !== undefined) return `\`${text}\``
  if (name === 'EOF') return 'the end'
  return name === 'IDENTIFIER' ? 'a name' : `a ${name.toLowerCase()}`
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** Patterns are mostly literals, so each is compiled once. Patterns built by expressions must not pile up. */
const maxKept = 500
const compiled = new Map<string, RE2JS>()

/** True where any part of the text matches. Throws, as RE2JS does, for a pattern that RE2 does not know. */
export function matchPattern(text: string, pattern: string): boolean {
  return patternOf(pattern).test(text)
}

/** Undefined: nothing is wrong. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    patternOf(pattern)
    return undefined
  } catch (error) {
    return patternFault(error) ?? String(error)
  }
}

function patternFault(error: unknown): string | undefined {
  return error instanceof RE2JSException ? error.message.replace(/^error parsing regexp: /, '') : undefined
}

function patternOf(pattern: string): RE2JS {
  return getOrInsert(compiled, pattern, () => {
    if (compiled.size >= maxKept) compiled.clear()
    return RE2JS.compile(pattern)
  })
}
