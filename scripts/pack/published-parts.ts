// The origin in the published package. The sources do not know it: the release does, by the variables of its job (ADR
// 59).

import { posix } from 'node:path'

export interface Origin {
  /** Address of the repository, without a slash at its end. */
  readonly repository: string
  /** The tag that is released. */
  readonly tag: string
}

/** Throws where the job names no repository, or releases another version: npm compares its provenance with both. */
export function originOf(version: string, env: NodeJS.ProcessEnv): Origin {
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: name = '', GITHUB_REF_NAME: tag = '' } = env
  if (!/^https:\/\/[^/\s]+$/.test(server)) throw new Error('Set GITHUB_SERVER_URL, such as https://github.com')
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) throw new Error('Set GITHUB_REPOSITORY to OWNER/NAME')
  if (tag !== `v${version}`) throw new Error(`Set GITHUB_REF_NAME to v${version}: package.json has that version`)
  return { repository: `${server}/${name}`, tag }
}

/** Without what only developers need, and without `private`, which keeps npm from publishing anything else. */
export function publishedManifest(manifest: Readonly<Record<string, unknown>>, { repository }: Origin): object {
  const ofDevelopers = ['private', 'workspaces', 'scripts', 'devDependencies']
  return {
    ...Object.fromEntries(Object.entries(manifest).filter(([key]) => !ofDevelopers.includes(key))),
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  }
}

/**
 * Links to what the package does not hold lead to the repository, and all pictures do: npm shows the README apart.
 * `file`: of the text, by its path in the package.
 */
export function withAbsoluteLinks(
  markdown: string,
  file: string,
  packed: ReadonlySet<string>,
  { repository, tag }: Origin,
): string {
  return markdown.replace(/(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s#]+)(?=[)#])/g, (whole, picture, before, link) => {
    const path = posix.join(posix.dirname(file), link)
    const isThere = [...packed].some((each) => each === path || each.startsWith(`${path}/`))
    if (picture === '' && isThere) return whole
    return `${picture}${before}${repository}/${picture === '' ? 'blob' : 'raw'}/${tag}/${path}`
  })
}
