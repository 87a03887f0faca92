// A global or process constant in a tenant document: plain text for each environment, absent where it inherits.
import { count, filledText, nullable, optional, record, type TypeOf, text } from '../shape/shape.ts'

export const constantShape = record({
  id: optional(count),
  guid: optional(filledText),
  name: filledText,
  description: optional(nullable(text)),
  groupId: optional(nullable(count)),
  common: text,
  dev: optional(text),
  test: optional(text),
  prod: optional(text),
})
export type TenantConstant = TypeOf<typeof constantShape>
