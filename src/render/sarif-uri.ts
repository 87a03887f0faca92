// Paths of files as the URI references that SARIF wants.

/** Relative paths stay relative; absolute ones become `file:` URIs. */
export function sarifUri(path: string): string {
  const drive = /^[A-Za-z]:(?=\/)/.exec(path)?.[0] ?? ''
  const encoded = drive + path.slice(drive.length).split('/').map(encodeSegment).join('/')
  if (drive !== '') return `file:///${encoded}`
  return path.startsWith('/') ? `file://${encoded}` : encoded
}

function encodeSegment(segment: string): string {
  // A lone surrogate has no UTF-8, and `encodeURIComponent` throws on it.
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'))
}
