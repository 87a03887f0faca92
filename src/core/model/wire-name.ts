// The shape of a name of an interface: names come from foreign documents, and end in project files and requests.
export const wireNameRule = 'A name has letters, digits, `_`, `-` and `.`, at most 100; a word may hold single blanks.'

/** Names that every object of JavaScript has are none: `constructor`, `__proto__`. */
export function isWireName(name: string): boolean {
  return name.length <= 100 && /^[\w.-]+(?: [\w.-]+)*$/.test(name) && !(name in Object.prototype)
}

/** The same without blanks, which no key holds. */
export function isWireKey(name: string): boolean {
  return isWireName(name) && !name.includes(' ')
}
