// The facts of a platform, one line for each value and each entry, from its own state: for comparing two states without
// svcsync.
import type { Emulator } from '../../src/emulator/index.ts'

/** Values that the platform alone decides. */
const own = ['id', 'guid', 'createdAt', 'nextIds', 'synchronisedAt']

export function factsOf(emulator: Emulator): ReadonlySet<string> {
  const found = new Set<string>()
  const nameOf = (part: Readonly<Record<string, string | undefined>>): string =>
    [part.svcId ?? part.name ?? part.code ?? part.type ?? part.id, part.level, part.company, part.startDate].join(' ')
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      for (const part of value) {
        if (typeof part === 'object' && part !== null) {
          found.add(`${path} > ${nameOf(part as Readonly<Record<string, string>>)}`)
          visit(part, `${path} > ${nameOf(part as Readonly<Record<string, string>>)}`)
        } else found.add(`${path} > ${String(part)}`)
      }
    } else if (typeof value === 'object' && value !== null) {
      // Whoever has licences is shown with the name of the user.
      const isShown = (key: string) => !own.includes(key) && !(key === 'name' && path.startsWith(' licenses'))
      for (const [key, part] of Object.entries(value)) if (isShown(key)) visit(part, `${path} ${key}`)
    } else if (value !== null && value !== '') found.add(`${path} = ${String(value)}`)
  }
  visit(emulator.state(), '')
  return found
}

/** Facts of one side alone. */
export const factsBetween = (before: ReadonlySet<string>, after: ReadonlySet<string>): string[] => [
  ...[...before].filter((fact) => !after.has(fact)).map((fact) => `- ${fact}`),
  ...[...after].filter((fact) => !before.has(fact)).map((fact) => `+ ${fact}`),
]
