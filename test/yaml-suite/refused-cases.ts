// What the YAML test suite has and manifests do not: each case is valid YAML that a manifest is refused for, by choice.
// The parser itself agrees with the suite on every case; these come from the reading of its events.

/** Reasons, each with what the problem says. */
const reasons = {
  /** No field of a manifest has a type that only a tag can give. */
  'a tag that is not of the core schema': /^The tag `.+` has no meaning here$/,
  /** Keys are names of fields: there is nothing that a tag could change in them. */
  'a key with a tag': /^A key takes no tag, but there is `.+`$/,
  /** A key that stands elsewhere cannot be found by looking for its name. */
  'a key that is an alias': /^A key must be a text, but there is an alias$/,
  'a key that is a list': /^A key must be a text, but there is a list$/,
  'a key that is a mapping': /^A key must be a text, but there is a mapping$/,
  /** Two names would become one. */
  'an entry that is indented too far': /continues in this line, which looks like an entry of a list$/,
  'a key that is empty': /^A key must be a text, but there is nothing$/,
} as const

type Reason = keyof typeof reasons

const byReason: Readonly<Record<Reason, string>> = {
  'a tag that is not of the core schema': '2XXW 565N 5TYM 6CK3 6WLZ 9WXW C4HZ CC74 CUP7 J7PZ M5C3 P76L UGM3 Z67P Z9M4',
  'a key with a tag': '74H7 7FWL 9KAX FH7J HMQ5 L94M WZ62',
  'a key that is an alias': '26DV E76Z X38W',
  'a key that is a list': '4FJ6 6BFJ 6PBE KK5P LX3P M5DY RZP5 SBG9 X38W XW4D',
  'a key that is a mapping': '9MMW M2N8/0 M2N8/1 Q9WF V9D5',
  'an entry that is indented too far': 'AB8U',
  'a key that is empty': '2JQS 6M2F CFD4 DFF7 FRK4 NHX8 NKF9 PW8X S3PD SM9W/1 UKK6/0',
}

/** Id of a case → what each of its problems says, one of these. */
export const refusedCases: ReadonlyMap<string, readonly RegExp[]> = collect()

function collect(): Map<string, RegExp[]> {
  const refused = new Map<string, RegExp[]>()
  for (const [reason, ids] of Object.entries(byReason)) {
    for (const id of ids.split(' ')) refused.set(id, [...(refused.get(id) ?? []), reasons[reason as Reason]])
  }
  return refused
}
