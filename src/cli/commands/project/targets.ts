// `svcsync targets`: which targets there are, for people and for engines that start a job for each.
import { cwd, env } from 'node:process'
import { isJsonObject } from '@svcsync/core/model/json.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import {
  filterByShard,
  namedTargets,
  parseShard,
  selectTargets,
  shardOf,
  shardOfJob,
} from '@svcsync/project/select-targets.ts'
import { renderTargetList } from '@svcsync/render/report/targets-summary.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import { projectFile } from '@svcsync/runs/open/open-project.ts'
import { parseForCommand } from '../../planning/resolve-run.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import type { listing } from '../project.ts'

type ListedTarget = Parameters<typeof renderTargetList>[0][number]

type TargetsOptions = Values<typeof listing>

/** GitHub begins no more jobs of one matrix. */
export const mostJobs = 256

export async function targetsCommand(options: TargetsOptions, console: Console) {
  // A matrix without the targets of a file that cannot be read would pass them by.
  const { root } = parseForCommand(projectFile(options.project, cwd()))
  const { target: names = [], allTargets: all = false, targets: globs, labels, shard, shards } = options
  const chosen = selectTargets(namedTargets(root), { names, all, globs, labels })
  const own = filterByShard(chosen, shard === undefined ? shardOfJob(env) : parseShard(shard))
  const told = own.map((each) => {
    const settings = isJsonObject(root.targets) ? root.targets[each.name] : undefined
    const baseUrl = isJsonObject(settings) && typeof settings.baseUrl === 'string' ? settings.baseUrl : null
    return { ...each, baseUrl, ...(shards !== undefined && { shard: `${shardOf(each.name, shards)}/${shards}` }) }
  })
  await console.result(asForm(options, told, console))
  return exitCodes.done
}

function asForm({ format, shards }: TargetsOptions, targets: readonly ListedTarget[], console: Console): string {
  switch (format) {
    case 'json':
      return safeJson({ formatVersion: '1.0', targets: targets })
    case 'github-matrix':
      return JSON.stringify({ include: jobsOf(targets, shards, mostJobs) })
    case 'argo':
      return JSON.stringify(jobsOf(targets, shards, Number.POSITIVE_INFINITY))
    case 'text':
      return renderTargetList(targets, console)
  }
}

function jobsOf(targets: readonly ListedTarget[], shards: number | undefined, most: number): readonly object[] {
  const jobs: readonly object[] =
    shards === undefined
      ? targets.map(({ name: target, labels }) => ({ ...labels, target }))
      : [...new Set(targets.map(({ shard }) => shard))].sort(byIndex).map((shard) => ({ shard }))
  if (jobs.length <= most) return jobs
  throw new OperatorError('SVC2324', `A matrix of GitHub has at most ${most} jobs, and these are ${jobs.length}`, {
    hint: 'Add `--shards N`: then each job runs a shard, with `--shard ${{ matrix.shard }}`.',
  })
}

const byIndex = (a = '', b = ''): number => Number.parseInt(a, 10) - Number.parseInt(b, 10)
