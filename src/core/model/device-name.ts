// Names that no file can have on Windows.

/** True if Windows treats the name as a device, whatever ending follows. */
export function namesDevice(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)
}
