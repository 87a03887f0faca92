// One expression: checked for each kind that it is for, and compiled once; and the policy that holds it.
import type { ASTNode, Environment } from '@marcbachmann/cel-js'
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import type { Place } from '@svcsync/errors/index.ts'
import { faultOf, faultOfPattern, matchPattern, nameIn } from './expression-fault.ts'
import { evaluationEnvironment, matchesName, type scopeOf, strictNames, variablesOn } from './expression-types.ts'

type Scope = ReturnType<typeof scopeOf>

type ExpressionFault = ReturnType<typeof faultOf>

/** Elements of lists, and sixteen characters each, that one evaluation may make: far beyond the largest group. */
const mostMade = 5_000_000

/** The engine reports a RangeError as "too large". */
class AllocationLimitError extends RangeError {}

/** The name under which the engine knows the counting. */
const counterName = 'countedAsMade'

/** The untyped parts of the engine's nodes: they carry data about how a node is checked and evaluated. */
interface EngineNode {
  op: string
  args: unknown
  readonly meta: Readonly<Record<string, unknown>>
  clone(op: { readonly name: string; readonly check: unknown; readonly evaluate: unknown }, args: unknown): EngineNode
  setMeta(key: string, value: unknown): unknown
}

interface AllocationCounter {
  begin(): void
  /** Counts what the node makes from now on, where it makes anything that can be large. */
  count(node: ASTNode): void
}

function createAllocationCounter(environment: Environment): AllocationCounter {
  let made = 0
  environment.registerFunction(`${counterName}(dyn): dyn`, (value: unknown) => {
    made += 1 + (Array.isArray(value) ? value.length : typeof value === 'string' ? value.length / 16 : 0)
    if (made > mostMade) throw new AllocationLimitError()
    return value
  })
  const { op, meta } = environment.parse(`${counterName}(1)`).ast as unknown as EngineNode
  const wrap = (node: EngineNode): void => {
    const inner = node.clone({ name: node.op, check: node.meta.check, evaluate: node.meta.evaluate }, node.args)
    for (const [key, value] of Object.entries(node.meta)) {
      inner.setMeta(key, value)
      node.setMeta(key, undefined)
    }
    // In its place: macros hold on to the node itself.
    node.op = op
    node.args = [counterName, [inner]]
    node.setMeta('check', meta.check)
    node.setMeta('evaluate', meta.evaluate)
  }
  return {
    begin: () => {
      made = 0
    },
    count(node) {
      if (node.op === '+') wrap(node as unknown as EngineNode)
      if (node.op !== 'rcall') return
      const [name, , args] = node.args
      if (name === 'join' || name === 'split') wrap(node as unknown as EngineNode)
      // Each element when it is created, rather than the complete list.
      if (name === 'map') wrap(args.at(-1) as unknown as EngineNode)
    },
  }
}

interface Expression {
  readonly text: string
  /** Throws what `faultOf` explains. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown
}

const environment = evaluationEnvironment(matchPattern)
const allocations = createAllocationCounter(environment)

/** Everything that can be told without an object, the kinds it holds for named where it does not hold for all. */
export function checkExpression(
  text: string,
  wanted: 'bool' | 'string',
  scopes: readonly Scope[],
): readonly ExpressionFault[] {
  const faults = new Map<string, { readonly fault: ExpressionFault; readonly kinds: string[] }>()
  for (const scope of scopes) {
    const fault = checkIn(text, wanted, scope)
    if (fault === undefined) continue
    getOrInsert(faults, `${fault.index} ${fault.message}`, () => ({ fault, kinds: [] })).kinds.push(scope.kind)
  }
  const found = [...faults.values()].map(({ fault, kinds }) =>
    kinds.length === scopes.length ? fault : { ...fault, message: `${fault.message}, for ${quoted(kinds)}` },
  )
  return found.length > 0 ? found : patternFaults(text)
}

/** Takes a text that passed `checkExpression`. */
export function compileExpression(text: string): Expression {
  const program = environment.parse(text)
  const nodes: ASTNode[] = []
  visit(program.ast, (node) => nodes.push(node))
  // The innermost first: what is counted is no longer the node that it was.
  for (const node of nodes.reverse()) {
    // The engine's own `matches` backtracks. Types were checked under the name that people wrote.
    if (isMatches(node)) (node.args as unknown as string[])[0] = matchesName
    allocations.count(node)
  }
  return {
    text,
    evaluate(variables) {
      allocations.begin()
      return program(variables)
    },
  }
}

function checkIn(text: string, wanted: 'bool' | 'string', scope: Scope): ExpressionFault | undefined {
  const { valid, type, error } = scope.environment.check(text)
  if (valid) {
    if (type === wanted || type === 'dyn') return unknownTestedField(text, scope)
    const what = wanted === 'bool' ? 'true or false' : 'a text'
    return { message: `it gives \`${type}\`, but ${what} is needed`, index: 0 }
  }
  const fault = faultOf(error)
  const hint = hintFor(error, scope)
  const { hint: _, ...rest } = fault
  return hint === undefined ? rest : { ...rest, hint }
}

/** A field that is only tested, by `has` or `.?`, and that no schema knows: the test would never hold. */
function unknownTestedField(text: string, scope: Scope): ExpressionFault | undefined {
  const letters = [...Array(text.length).keys()].map((index) => text[index] as string)
  const rename = (name: string, at: number): void => {
    const strict = strictNames[name] ?? name
    letters.splice(at, name.length, ...strict)
  }
  let tests = false
  visit(environment.parse(text).ast, (node) => {
    if (node.op === 'call' && node.args[0] === 'has') rename('has', node.start)
    else if (node.op === '.?') letters[text.indexOf('?', (node.args[0] as ASTNode).end)] = ' '
    else {
      if (node.op === 'rcall') rename(node.args[0], text.indexOf(node.args[0], node.args[1].end))
      return
    }
    tests = true
  })
  if (!tests) return undefined
  const { error } = scope.strict().check(letters.join(''))
  if (error?.code !== 'no_such_key') return undefined
  const hint = hintFor(error, scope)
  const { hint: _, ...fault } = faultOf(error)
  return { ...fault, ...(hint !== undefined && { hint }) }
}

function hintFor(
  error: ReturnType<Scope['environment']['check']>['error'],
  { variables, fields }: Scope,
): string | undefined {
  const name = nameIn(error?.summary ?? '')
  if (name === undefined) return undefined
  if (error?.code === 'unknown_variable') {
    const [on] = Object.entries(variablesOn).find(([, others]) => Object.hasOwn(others, name)) ?? []
    if (on !== undefined) return `\`${name}\` is there for policies with \`on: ${on}\`.`
    return suggestion(name, variables) ?? `There are ${quoted(variables)}.`
  }
  return error?.code === 'no_such_key' ? suggestion(name, fields) : undefined
}

/** Patterns that are written out can be tried at once. */
function patternFaults(text: string): readonly ExpressionFault[] {
  const faults: ExpressionFault[] = []
  visit(environment.parse(text).ast, (node) => {
    if (!isMatches(node)) return
    const pattern = node.args[2][0] as ASTNode
    if (pattern.op !== 'value' || typeof pattern.args !== 'string') return
    const fault = faultOfPattern(pattern.args)
    if (fault === undefined) return
    const hint = 'Patterns are those of RE2: without look-around and back references.'
    faults.push({ message: `the pattern cannot be used: ${fault}`, index: pattern.start, hint })
  })
  return faults
}

function isMatches(node: ASTNode): node is Extract<ASTNode, { readonly op: 'rcall' }> {
  return node.op === 'rcall' && node.args[0] === 'matches' && node.args[2].length === 1
}

function visit(part: unknown, on: (node: ASTNode) => void): void {
  if (Array.isArray(part)) for (const each of part) visit(each, on)
  else if (typeof part === 'object' && part !== null && 'op' in part) {
    on(part as ASTNode)
    visit((part as ASTNode).args, on)
  }
}

interface PolicyExpression extends Expression {
  /** The place of a character of its text, by its UTF-16 code units from the start. */
  placeAt(index: number): Place
}

export interface Policy {
  /** Unique among all policies of a project. */
  readonly name: string
  /** Why it is there. */
  readonly description: string | undefined
  readonly for: ReadonlySet<string>
  readonly on: keyof typeof variablesOn
  readonly level: 'deny' | 'warn'
  /** Undefined: it looks at every object of its kinds. */
  readonly when: PolicyExpression | undefined
  readonly expression: PolicyExpression
  readonly message: string
  readonly messageExpression: PolicyExpression | undefined
  readonly place: Place
}
