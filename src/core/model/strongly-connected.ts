// Strongly connected components of a graph (Tarjan), without recursion: chains of managers can be long.

interface Frame<T> {
  readonly node: T
  readonly successors: readonly T[]
  position: number
}

/** The components of the graph over `nodes`; successors outside `nodes` are ignored. */
export function stronglyConnected<T>(nodes: readonly T[], next: (node: T) => readonly T[]): T[][] {
  const inside = new Set(nodes)
  const index = new Map<T, number>()
  const low = new Map<T, number>()
  const onStack = new Set<T>()
  const stack: T[] = []
  const components: T[][] = []
  const open = (node: T): Frame<T> => {
    index.set(node, index.size)
    low.set(node, index.get(node) as number)
    stack.push(node)
    onStack.add(node)
    return { node, successors: next(node).filter((other) => inside.has(other)), position: 0 }
  }
  const lower = (node: T, value: number): void => {
    low.set(node, Math.min(low.get(node) as number, value))
  }
  const closed = (last: T): T[] => {
    const component = stack.splice(stack.lastIndexOf(last)).reverse()
    for (const node of component) onStack.delete(node)
    return component
  }
  /** One step on: to a successor, or back from a node whose successors are all seen. */
  const advance = (frames: Frame<T>[], frame: Frame<T>): void => {
    const successor = frame.successors[frame.position++]
    if (successor === undefined) {
      frames.pop()
      const parent = frames.at(-1)
      if (parent !== undefined) lower(parent.node, low.get(frame.node) as number)
      if (low.get(frame.node) === index.get(frame.node)) components.push(closed(frame.node))
    } else if (!index.has(successor)) frames.push(open(successor))
    else if (onStack.has(successor)) lower(frame.node, index.get(successor) as number)
  }
  for (const root of nodes) {
    const frames = index.has(root) ? [] : [open(root)]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) advance(frames, frame)
  }
  return components
}
