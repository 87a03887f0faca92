// Many reads, begun in their order: one that waits holds memory, and very many may be waiting.

const mostAtOnce = 256

/** Rejects with the first failure; started work continues. */
export async function beginInTurn<Item>(
  items: readonly Item[],
  begin: (item: Item) => Promise<void> | void,
): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < items.length) await begin(items[next++] as Item)
  }
  await Promise.all(Array.from({ length: Math.min(items.length, mostAtOnce) }, work))
}
