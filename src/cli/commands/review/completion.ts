// `svcsync completion`: the tab key. A shell gets a few lines that ask this command.
import { cwd, env } from 'node:process'
import { type Command, flagOf } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'

/** Without suggestions, shells complete names of files. */
const scripts = {
  // In bash, the text behind a `=` is a word of its own. An address is one word, though it holds an @ or a colon. Each
  // word is read as it is: `compgen -W` would run commands in it.
  bash: `COMP_WORDBREAKS=\${COMP_WORDBREAKS//[@:]/}
_svcsync() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    svcsync completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null
  )
}
complete -o default -F _svcsync svcsync`,
  zsh: `_svcsync() {
  local -a found
  found=(\${(f)"$(svcsync completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _svcsync svcsync`,
  // Older versions leave out empty words, so a space replaces the word that is not typed yet.
  powershell: `Register-ArgumentCompleter -Native -CommandName svcsync -ScriptBlock {
  param($typed, $line, $cursor)
  $words = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($typed -eq '') { $words += ' ' }
  svcsync completion powershell -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
  fish:
    'complete -c svcsync -a ' +
    "'(svcsync completion fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null </dev/null)'",
}

/** `words`: those behind the name of the program, the word to complete last. None: the lines for the shell. */
export async function completionCommand(
  _: object,
  console: Console,
  { shell, words }: { readonly shell: keyof typeof scripts; readonly words: readonly string[] },
  all: Readonly<Record<string, Command>>,
) {
  const found = words.length === 0 ? [scripts[shell]] : await candidates(all, words)
  if (found.length > 0) await console.result(found.join('\n'))
  return exitCodes.done
}

async function candidates(
  all: Readonly<Record<string, Command>>,
  words: readonly string[],
): Promise<readonly string[]> {
  const typed = words.at(-1)?.trim() ?? ''
  const before = words.slice(0, -1)
  const [name] = before
  if (name === undefined) return startingWith(typed, typed.startsWith('-') ? ['--help', '--version'] : Object.keys(all))
  const command = Object.hasOwn(all, name) ? all[name] : undefined
  if (command === undefined) return []
  const values = await valuesFor(command, typed, before)
  if (values !== undefined) return values
  if (typed.startsWith('-')) return startingWith(typed, [...flagsOf(command), '--help'])
  return startingWith(typed, await argumentsFor(name, command, before.slice(1)))
}

/** Undefined: no option stands before it that takes a value. */
async function valuesFor(
  command: Command,
  typed: string,
  before: readonly string[],
): Promise<readonly string[] | undefined> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(typed) ?? []
  if (flag !== undefined)
    return startingWith(value ?? '', valuesOf(command, flag) ?? []).map((choice) => `${flag}=${choice}`)
  // `--format = js` is how bash tells `--format=js`.
  const isBehind = typed === '=' || before.at(-1) === '='
  const option = isBehind && typed !== '=' ? before.at(-2) : before.at(-1)
  const values = valuesOf(command, option)
  if (values === undefined) return undefined
  const begun = isBehind ? typed.replace(/^=/, '') : typed
  return startingWith(begun, values.length > 0 ? values : await fromProject(option, before))
}

async function argumentsFor(name: string, command: Command, before: readonly string[]): Promise<readonly string[]> {
  const place = before.filter((word, index) => {
    return !word.startsWith('-') && valuesOf(command, index === 0 ? undefined : before[index - 1]) === undefined
  }).length
  const known = Object.values(command.args ?? {})
  const argument = known[place] ?? (known.at(-1)?.form === 'many' ? known.at(-1) : undefined)
  return argument?.choices ?? (name === 'explain' ? await problemCodes() : [])
}

async function problemCodes(): Promise<readonly string[]> {
  return (await import('./explain.ts')).problemPages().map(({ code }) => code)
}

/** True if a shell takes it for one word, and runs nothing in it. */
const isPlainWord = (text: string): boolean => /^[\w@%+=:./-]+$/.test(text)

/** The plain words among the names in the project file or the manifests. Empty if they are unreadable. */
async function fromProject(flag: string | undefined, before: readonly string[]): Promise<readonly string[]> {
  if (flag !== '--target' && flag !== '-t' && flag !== '--only') return []
  const behind = (...flags: readonly string[]) => before[before.findIndex((word) => flags.includes(word)) + 1]
  const [{ kinds }, { openProject, projectFile }, { parseProject }] = await Promise.all([
    import('@svcsync/kinds/index.ts'),
    import('@svcsync/runs/open/open-project.ts'),
    import('@svcsync/project/parse-project.ts'),
  ])
  const named = before.includes('--project') ? behind('--project') : undefined
  try {
    const { root } = parseProject(projectFile(named, cwd()), { kinds, displayBase: cwd() })
    const targets = Object.keys((root?.targets ?? {}) as object)
    if (flag !== '--only') return targets.filter(isPlainWord)
    const isNamed = before.includes('--target') || before.includes('-t')
    const target = (isNamed ? behind('--target', '-t') : undefined) ?? targets[0]
    const options = { project: named, target, cwd: cwd(), env, kinds, needCredentials: false, nowMs: Date.now() }
    const { desired } = openProject(options)
    return desired.map(({ address }) => address).filter(isPlainWord)
  } catch {
    return []
  }
}

const startingWith = (typed: string, words: readonly string[]): readonly string[] =>
  words.filter((word) => word.startsWith(typed))

function flagsOf({ options }: Command): readonly string[] {
  return Object.entries(options).flatMap(([key, { does, not }]) => [
    ...(does === undefined ? [] : [flagOf(key)]),
    ...(not === undefined ? [] : [flagOf(key, true)]),
  ])
}

/** The values of an option; empty for free text. Undefined: it takes no value, or does not exist. */
function valuesOf({ options }: Command, flag: string | undefined): readonly string[] | undefined {
  const found = Object.entries(options).find(([key, { short }]) => flag === flagOf(key) || flag === `-${short}`)
  const { takes, choices = [] } = found?.[1] ?? {}
  return takes === undefined ? undefined : choices
}
