// What several endpoints tell alike.
import { integer, listOf, named, record, text } from '../shape/shape.ts'

export const ids = { id: integer, guid: text }
const links = named('Links', listOf(record({ href: text, method: text, rel: text })))
export const listItem = { ...ids, name: text, links }
