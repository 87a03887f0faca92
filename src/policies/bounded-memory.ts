// Counts what an expression makes: the limit of time does not bound memory, and the process would die without a word.
import type { ASTNode, Environment } from '@marcbachmann/cel-js'

/** Elements of lists, and sixteen characters each, that one evaluation may make: far beyond the largest group. */
const mostMade = 5_000_000

/** What has the form of a RangeError is "too large" to whoever reads it. */
class TooMuchMade extends RangeError {}

/** The name under which the engine knows the counting. */
const countedName = 'countedAsMade'

/** What of the engine's nodes its types do not tell: how a node is checked and evaluated is data that travels with it. */
interface Node {
  op: string
  args: unknown
  readonly meta: Readonly<Record<string, unknown>>
  clone(op: { readonly name: string; readonly check: unknown; readonly evaluate: unknown }, args: unknown): Node
  setMeta(key: string, value: unknown): unknown
}

interface Counting {
  begin(): void
  /** Counts what the node makes from now on, where it makes anything that can be large. */
  count(node: ASTNode): void
}

export function createCounting(environment: Environment): Counting {
  let made = 0
  environment.registerFunction(`${countedName}(dyn): dyn`, (value: unknown) => {
    made += 1 + (Array.isArray(value) ? value.length : typeof value === 'string' ? value.length / 16 : 0)
    if (made > mostMade) throw new TooMuchMade()
    return value
  })
  const { op, meta } = environment.parse(`${countedName}(1)`).ast as unknown as Node
  const wrap = (node: Node): void => {
    const inner = node.clone({ name: node.op, check: node.meta.check, evaluate: node.meta.evaluate }, node.args)
    for (const [key, value] of Object.entries(node.meta)) {
      inner.setMeta(key, value)
      node.setMeta(key, undefined)
    }
    // In its place: macros hold on to the node itself.
    node.op = op
    node.args = [countedName, [inner]]
    node.setMeta('check', meta.check)
    node.setMeta('evaluate', meta.evaluate)
  }
  return {
    begin: () => {
      made = 0
    },
    count(node) {
      if (node.op === '+') wrap(node as unknown as Node)
      if (node.op !== 'rcall') return
      const [name, , args] = node.args
      if (name === 'join' || name === 'split') wrap(node as unknown as Node)
      // Each element as it is made, and not the list when it is whole.
      if (name === 'map') wrap(args.at(-1) as unknown as Node)
    },
  }
}
