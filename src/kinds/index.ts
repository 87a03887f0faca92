// Generated from the folders beside this file by `npm run generate`: do not edit.
import type { Kind } from '@svcsync/core/model/kind.ts'
import { application } from './application/index.ts'
import { connection } from './connection/index.ts'
import { constant } from './constant/index.ts'
import { element } from './element/index.ts'
import { formType } from './form-type/index.ts'
import { group } from './group/index.ts'
import { license } from './license/index.ts'
import { process } from './process/index.ts'
import { processConstant } from './process-constant/index.ts'
import { substitution } from './substitution/index.ts'
import { user } from './user/index.ts'
import { workflow } from './workflow/index.ts'

/** Every kind that svcsync manages. */
export const kinds: readonly Kind[] = [
  application,
  connection,
  constant,
  element,
  formType,
  group,
  license,
  process,
  processConstant,
  substitution,
  user,
  workflow,
]
