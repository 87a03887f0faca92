// Paths of requests.

/** One segment of a path, percent-encoded. Numbers and guids pass unchanged. */
export function segment(value: string | number | undefined): string {
  return encodeURIComponent(String(value))
}
