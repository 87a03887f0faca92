// The package holds what users need, and no file that a try of the examples leaves behind: `.env` has credentials.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('is packed without what the quickstart leaves behind', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-package-'))
  try {
    for (const part of ['package.json', 'README.md', 'examples/quickstart', 'schemas']) {
      cpSync(part, join(dir, part), { recursive: true })
    }
    const quickstart = join(dir, 'examples/quickstart')
    writeFileSync(join(quickstart, '.env'), 'ERP_PASSWORD=real\n')
    mkdirSync(join(quickstart, '.svcsync/cache'), { recursive: true })
    writeFileSync(join(quickstart, '.svcsync/cache/fmt'), 'digests')
    const answer = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--offline', '--json'], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [{ files }] = JSON.parse(answer) as [{ files: readonly { readonly path: string }[] }]
    const paths = files.map(({ path }) => path)
    expect(paths).toContain('examples/quickstart/.env.example')
    expect(paths).toContain('schemas/project.schema.json')
    expect(paths.filter((path) => path.endsWith('/.env') || path.includes('.svcsync'))).toEqual([])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
