// The release workflow, as far as a shell can play it without the network.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { globSync } from 'tinyglobby'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly name?: string
  readonly run?: string
}
interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly needs?: string | readonly string[]; readonly steps: readonly Step[] }>
  >
}

const files = globSync('.github/workflows/*.yml', { dot: true }).sort()
const workflowOf = (file: string): Workflow => parse(readFileSync(file, 'utf8'))
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
}
const release = workflowOf('.github/workflows/release.yml')

describe.each(files)('%s', (file) => {
  it('names scripts and files that there are', () => {
    const runs = Object.values(workflowOf(file).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    expect(runs.length).toBeGreaterThan(0)
    for (const run of runs) {
      for (const [, script = ''] of run.matchAll(/\bnpm run (?:--?\w+ )*([\w:-]+)/g)) {
        expect(Object.keys(manifest.scripts)).toContain(script)
      }
      for (const [path] of run.matchAll(/(?<=\s)(?:test|src|scripts)\/[\w./-]+/g)) {
        expect(existsSync(path), path).toBe(true)
      }
    }
  })
})

describe('the steps of a release', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'svcsync-release-'))
    for (const file of ['package.json', 'CHANGELOG.md']) cpSync(file, join(dir, file))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  /** As a runner starts them. */
  function play(name: string, env: Readonly<Record<string, string>> = {}): void {
    const steps = Object.values(release.jobs).flatMap(({ steps }) => steps)
    const script = steps.find((step) => step.name === name)?.run
    expect(script, name).toBeDefined()
    const how = {
      cwd: dir,
      env: { ...process.env, GITHUB_OUTPUT: join(dir, 'output'), ...env },
      stdio: 'pipe',
    } as const
    execFileSync('bash', ['-e', '-c', script ?? ''], how)
  }
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }

  it('refuse a tag of another version', () => {
    play('The tag names the version of package.json', { GITHUB_REF_NAME: `v${manifest.version}` })
    expect(readFileSync(join(dir, 'output'), 'utf8')).toBe(`version=${manifest.version}\n`)
    expect(() => play('The tag names the version of package.json', { GITHUB_REF_NAME: 'v9.9.9' })).toThrow()
  })

  it('take the notes of one version from the changelog, and refuse a version without', () => {
    write(
      'CHANGELOG.md',
      '# Changelog\n\n## 1.2.0, 2026-11-26\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 1.1.0\n\n- Older.\n',
    )
    play('The changelog has notes of it', { VERSION: '1.2.0' })
    expect(readFileSync(join(dir, 'notes.md'), 'utf8')).toBe('\n- New.\n\n### Fixed\n\n- Old.\n\n')
    expect(() => play('The changelog has notes of it', { VERSION: '1.3.0' })).toThrow()
    expect(() => play('The changelog has notes of it', { VERSION: '1.2' })).toThrow()
    write('CHANGELOG.md', '## 1.2.10\n\n- Ten.\n\n## 1.2.1\n\n- One.\n')
    play('The changelog has notes of it', { VERSION: '1.2.1' })
    expect(readFileSync(join(dir, 'notes.md'), 'utf8')).toBe('\n- One.\n')
  })

  it('collect every file once, with its digest', () => {
    write('built/package/svcsync-1.2.0.tgz', 'package')
    write('built/package/notes.md', 'notes')
    write('built/package/sbom.cdx.json', '{}')
    for (const name of ['svcsync-linux-x64', 'svcsync-win32-x64.exe', 'svcsync-darwin-arm64']) {
      write(`built/executable-${name}/${name}`, name)
      write(`built/executable-${name}/${name}.sha256`, 'digest')
    }
    play('Collect the files of the release')
    expect(readdirSync(join(dir, 'release')).sort()).toEqual([
      ...['SHA256SUMS', 'sbom.cdx.json', 'svcsync-1.2.0.tgz', 'svcsync-darwin-arm64', 'svcsync-linux-x64'],
      'svcsync-win32-x64.exe',
    ])
    expect(readFileSync(join(dir, 'notes.md'), 'utf8')).toBe('notes')
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: join(dir, 'release'),
      encoding: 'utf8',
    })
    expect(checked.match(/: OK$/gm)).toHaveLength(5)
  })

  it('publish nothing before tests, package and executables are there', () => {
    expect(release.jobs.publish?.needs).toEqual(['check', 'package', 'executable'])
  })
})
