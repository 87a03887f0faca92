// Names under which credentials are kept: what stands behind them is hidden wherever text of a file is shown.

/** True for `password`, `clientSecret`, `api-key`, and slips like `pasword`. */
export function isCredentialName(name: string): boolean {
  return /pass?w|ssword|passphrase|secr|secert|scret|token|credential(?!s$)|api[-_ ]?key|private[-_ ]?key|^pwd$/i.test(
    name,
  )
}
