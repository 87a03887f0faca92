// A first-in, first-out queue.
/** An array with a moving head: `shift` on thousands of entries would be linear each time. */
export function createQueue<T>() {
  let items: T[] = []
  let head = 0
  return {
    add: (item: T) => void items.push(item),
    take(): T | undefined {
      const item = items[head]
      if (item === undefined) return undefined
      head++
      if (head === items.length) {
        items = []
        head = 0
      }
      return item
    },
  }
}
