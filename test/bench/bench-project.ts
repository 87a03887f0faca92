// A project in a folder, whose one target is a platform of the benchmark.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `more`: lines of the project file. `manifests`: texts by the names of their files. */
export function writeBenchProject(
  folder: string,
  url: string,
  more: string,
  manifests: Readonly<Record<string, string>>,
): void {
  mkdirSync(join(folder, 'manifests'), { recursive: true })
  const project = `version: 1
manifests: [manifests]
target: bench
targets:
  bench: { baseUrl: "${url}", clientId: svcsync, clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}", databases: { main: 1 } }
${more}
`
  writeFileSync(join(folder, 'svcsync.yaml'), project)
  process.env.SVCSYNC_CLIENT_SECRET ??= 'svcsync-secret'
  for (const [name, text] of Object.entries(manifests)) writeFileSync(join(folder, 'manifests', name), text)
}
