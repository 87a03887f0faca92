// Neutral names of the product and other vendors' products, for which installations have the real words.

const stems = [
  'Svc',
  'DbB',
  'DocPortal',
  'MailServer',
  'MailWebService',
  'DirectoryGraph',
  'CrmSuiteA',
  'CrmSuiteB',
].map((stem) => stem.toLowerCase())
const portal = /^Portal(?:\d{4}|Online)$/

export function isStandIn(name: string): boolean {
  return stemsOf(name).length > 0
}

/** The parts of a name that do. Lower case throughout: the same part is written in several ways. */
export function stemsOf(name: string): readonly string[] {
  const lower = name.toLowerCase()
  const inside = stems.filter((stem) => lower.includes(stem))
  return portal.test(name) ? [...inside, 'portal'] : inside
}
