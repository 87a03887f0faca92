// Whether an object that could not be read may name an account, told from its address alone.

/** Constants and connections name nobody; licences and substitutions name whom their addresses name, but for lists. */
export function mayName(address: string, account: string): boolean {
  if (/(?:^|\/)(?:constant|connection)\//.test(address)) return false
  return !/^(?:license|substitution)\/[^*]/.test(address) || address.includes(account)
}
