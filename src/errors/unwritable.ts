// Why a file cannot be written, in words, from the system's code.

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'the system does not let svcsync',
  EPERM: 'the system does not let svcsync',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it is larger than a file may be there',
  ENAMETOOLONG: 'its name is too long',
}

/** The end of a sentence; the code itself where there are no words for it. */
export function whyUnwritable(code: string): string {
  return reasons[code] ?? code
}
