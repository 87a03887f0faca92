// Runs a command over the targets that its command line names; what several take is loaded for several alone.
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { OperatorError } from '@svcsync/errors/index.ts'
import { disk } from '@svcsync/files/file-tree.ts'
import type { Values } from '../program/command.ts'
import type { ExitCode } from '../program/exit-codes.ts'
import type { ofTargets, overTargets } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'

type GivenOptions = Values<typeof overTargets> & { readonly confirm?: readonly string[] }

/** The handler of a command, by its name: ends with the exit code of the one run, or the gravest of all. */
export function forTargets<One extends TargetRunOptions, Args, Code extends ExitCode>(
  command: string,
  runOne: (options: One, console: Console, args: Args) => Promise<Code>,
) {
  return async (options: GivenOptions & Omit<One, keyof GivenOptions>, console: Console, args: Args): Promise<Code> => {
    const run = (one: One, own: Console) => runOne(one, own, args)
    const { parallel, failFast, shard, results, confirm = [], allTargets, targets, labels, ...rest } = options
    const { target: names = [], ...others } = rest
    const resume = resumedRun(others, results)
    const one = resume === undefined ? others : { ...others, resume: undefined }
    const isChosen = allTargets === true || targets.length + labels.length > 0 || new Set(names).size > 1
    if (isChosen || results !== undefined || shard !== undefined || resume !== undefined) {
      const { runTargets } = await import('./run-targets.ts')
      const choice = { names, all: allTargets === true, globs: targets, labels }
      const selection = { command, choice, shard, results, resume, confirm }
      const how = { ...selection, parallel: parallel ?? 4, failFast: failFast === true }
      return (await runTargets(how, one as never as One, console, run)) as Code
    }
    if (parallel !== undefined || failFast === true)
      throw new OperatorError('SVC2109', '`--parallel` and `--fail-fast` need several targets', {
        hint: 'Name them: `--target` several times, `--targets`, `--labels` or `--all-targets`.',
      })
    if (new Set(confirm).size > 1)
      throw new OperatorError('SVC2152', '`--confirm` names several targets, and this run is for one', {
        hint: 'Nothing was written. Choose the targets with --target.',
      })
    const [name] = names
    const [confirmed] = confirm
    const named = {
      ...(name !== undefined && { target: name }),
      ...(confirmed !== undefined && { confirm: confirmed }),
    }
    return run({ ...one, ...named } as never as One, console)
  }
}

/** The folder of results that `--resume` names; undefined: it names a journal, or nothing. */
function resumedRun({ resume }: Pick<TargetRunOptions, 'resume'>, results: string | undefined): string | undefined {
  if (resume === undefined || !disk.stat(resolve(cwd(), resume))?.isDirectory()) return undefined
  if (results === undefined) return resume
  throw new OperatorError('SVC2109', '`--results` and `--resume` with a folder exclude each other', {
    hint: 'Remove `--results`: a resumed run writes into the folder of `--resume`.',
  })
}

/** For commands that look at all targets by themselves: one, or several. */
export function choiceIn(options: Values<typeof ofTargets>) {
  const { target: names = [], allTargets: all = false, targets: globs, labels } = options
  const isSeveral = all || names.length > 1 || globs.length + labels.length > 0
  return { target: names[0], choice: isSeveral ? { names, all, globs, labels } : undefined }
}

interface TargetRunOptions {
  readonly project?: string
  readonly format: string
  /** For an apply: a journal, or a folder of results. */
  readonly resume?: string | undefined
}
