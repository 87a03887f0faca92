// Changes behind the client's back: what somebody else does to the installation while the client is not looking.
import { isJsonObject } from '@svcsync/core/model/json.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { databaseEdits } from './database-edits.ts'
import { directoryEdits } from './directory-edits.ts'
import { checked, type Edit, unusable } from './edit.ts'

const edits: Readonly<Record<string, Edit>> = { ...directoryEdits, ...databaseEdits }

/** Each edit is an object with one key, its name. Edits before an impossible one stay done. */
export function applyEdits(state: PlatformState, given: readonly unknown[]): void {
  for (const [at, each] of given.entries()) {
    const [name = '', ...others] = isJsonObject(each) ? Object.keys(each) : []
    const edit = Object.hasOwn(edits, name) ? edits[name] : undefined
    if (!isJsonObject(each) || edit === undefined || others.length > 0) {
      throw unusable(`edit ${at}: must have one key, one of ${Object.keys(edits).join(', ')}`)
    }
    edit.apply(state, checked(edit.shape, each[name]))
  }
}
