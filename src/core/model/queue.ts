// First in, first out.

interface Queue<T> {
  add(item: T): void
  take(): T | undefined
}

/** An array with a moving head: `shift` on thousands of entries would be linear each time. */
export function createQueue<T>(): Queue<T> {
  let items: T[] = []
  let head = 0
  return {
    add: (item) => void items.push(item),
    take() {
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
