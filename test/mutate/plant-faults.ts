// Plants faults in a source file, all at once: each is switched on by its number while the tests run.
import { parseAst } from 'vite'

export interface PlantedFault {
  readonly number: number
  /** Line of the source, from 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const otherOperator: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}
const otherMethod: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

/** `code` asks `globalThis.isPlanted(number)` at each place. Numbers count from `first`. */
export function plantFaults(source: string, first: number) {
  const faults: PlantedFault[] = []
  const raw = (node: Node): string => source.slice(node.start, node.end)

  /** The text of a node with all faults in it. */
  const planted = (node: Node, isInChain = false, role = ''): string => {
    let text = ''
    let at = node.start
    const inChain = node.type === 'ChainExpression' || (isInChain && /^(?:Member|Call)Expression$/.test(node.type))
    for (const [child, key] of childrenOf(node)) {
      if (child.start < at) continue
      const isLink = inChain && (key === 'expression' || key === 'object' || key === 'callee')
      text += source.slice(at, child.start) + planted(child, isLink, `${node.type} ${key}`)
      at = child.end
    }
    text += source.slice(at, node.end)
    if (isInChain) return text
    // A condition that always holds and one that never does say what its opposite would.
    const own = role === 'IfStatement test' && isEquality(node) ? [] : othersOf(node, raw)
    const others = [...own, ...(othersInRole[role] ?? [])]
    if (others.length === 0) return text
    const line = source.slice(0, node.start).split('\n').length
    const choices = others.map((after) => {
      const number = first + faults.length
      faults.push({ number, line, before: raw(node), after })
      return `globalThis.isPlanted(${number}) ? (${after}) : `
    })
    // A statement that begins with a bracket would go on with the line before it.
    return `${role.startsWith('ExpressionStatement') ? 'void ' : ''}(${choices.join('')}${text})`
  }
  return { code: planted(parseAst(source, { lang: 'ts' }) as unknown as Node), faults }
}

/** By what holds the node. */
const othersInRole: Readonly<Record<string, readonly string[]>> = {
  'IfStatement test': ['true', 'false'],
  'ExpressionStatement expression': ['undefined'],
}

function isEquality({ type, operator }: Node): boolean {
  return type === 'UnaryExpression' || (type === 'BinaryExpression' && (operator === '===' || operator === '!=='))
}

/**
 * Names of two numbers, or of two states of one thing: the compiler does not notice where one stands in the other's
 * place.
 */
const alike = [
  /(?:Ms|count|total|read|start|end|at|until|from|percent|max|min)$/i,
  /^(?:before|after|desired|live|fresh|known|recorded|given|wanted|needs|refused|verified|doubles|text|name|url|secret|within)$/,
]

function swapped(node: Node, raw: (node: Node) => string): readonly string[] {
  const [first, second, ...rest] = node.arguments as readonly Node[]
  if (first?.type !== 'Identifier' || second?.type !== 'Identifier') return []
  if (!alike.some((pattern) => pattern.test(raw(first)) && pattern.test(raw(second)))) return []
  return [`${raw(node.callee as Node)}(${[second, first, ...rest].map(raw).join(', ')})`]
}

function otherCalls(node: Node, raw: (node: Node) => string): readonly string[] {
  const callee = node.callee as Node
  const method = callee.type === 'MemberExpression' ? raw(callee.property as Node) : ''
  const other = Object.hasOwn(otherMethod, method) ? otherMethod[method] : undefined
  const given = raw(node).slice(callee.end - node.start)
  if (other !== undefined) return [`${raw(callee.object as Node)}.${other}${given}`]
  return method === 'filter' ? [raw(callee.object as Node)] : swapped(node, raw)
}

function othersOf(node: Node, raw: (node: Node) => string): readonly string[] {
  const part = (key: string) => raw(node[key] as Node)
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      if (node.operator === '??') return [part('left'), part('right')]
      const other = otherOperator[String(node.operator)]
      return other === undefined ? [] : [`(${part('left')}) ${other} (${part('right')})`]
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [part('argument')] : []
    case 'Literal':
      if (typeof node.value === 'boolean') return [String(!node.value)]
      // One more of many is no difference that could matter.
      if (typeof node.value === 'number') return [String(node.value < 100 ? node.value + 1 : 2 * node.value)]
      return []
    case 'ArrayExpression':
      return (node.elements as unknown[]).length > 0 ? ['[]'] : []
    case 'CallExpression':
      return otherCalls(node, raw)
    case 'ConditionalExpression':
      return [part('consequent'), part('alternate')]
    default:
      return []
  }
}

/** The replaceable expressions, in order. */
function childrenOf(node: Node): readonly (readonly [Node, string])[] {
  if (/^(?:Import|ExportAll|TS(?!As|NonNull|Satisfies))|Pattern$/.test(node.type)) return []
  const found: [Node, string][] = []
  for (const [key, value] of Object.entries(node)) {
    const isName = (key === 'key' || key === 'property') && node.computed !== true
    if (isName || (key === 'left' && /^(?:Assignment|For)/.test(node.type)) || key === 'directive') continue
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null && typeof (each as Node).type === 'string') found.push([each, key])
    }
  }
  return found.sort(([a], [b]) => a.start - b.start)
}
