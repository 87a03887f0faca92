// The names of accounts, beside svcIds that do not tell them.
import type { FoldSvcId } from '../core/model/address.ts'
import { commentText } from './scalar-text.ts'

export interface AccountNames {
  /** A comment to stand beside the svcId. Undefined: the name is not known, or says no more. */
  beside(svcId: string): string | undefined
  /** The name as a comment. */
  comment(name: string): string
  /** Knows nobody. */
  none(): AccountNames
}

const maxLength = 60

export function accountNames(names: ReadonlyMap<string, string>, fold: FoldSvcId): AccountNames {
  const comment = (name: string): string => commentText(name, maxLength)
  return {
    beside(svcId) {
      const name = names.get(fold(svcId))
      if (name === undefined || !/\p{L}/u.test(name) || tells(svcId, name)) return undefined
      return comment(name)
    },
    comment,
    none: () => accountNames(new Map(), fold),
  }
}

/** `anna.nowak@example.com` tells of Anna Nowak. */
function tells(svcId: string, name: string): boolean {
  const id = letters(svcId)
  return name.split(/\s+/).every((word) => id.includes(letters(word)))
}

function letters(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('ł', 'l')
    .replaceAll('Ł', 'l')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
