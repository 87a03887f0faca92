// `svcsync doctor`: whether svcsync could work here, and what to do where it could not.

import { env } from 'node:process'
import { kinds } from '@svcsync/kinds/index.ts'
import { renderDoctorText } from '@svcsync/render/report/render-doctor-text.ts'
import { renderDoctorJson } from '@svcsync/render/report/render-json.ts'
import { doctorOfUnusable, doctorRun, problemsOfSecrets } from '@svcsync/runs/doctor/doctor-run.ts'
import { connect } from '@svcsync/runs/open/connect.ts'
import { openProject, readProject, UnusableProject } from '@svcsync/runs/open/open-project.ts'
import type { OfOneTarget } from '../../planning/for-targets.ts'
import { openOptions } from '../../planning/open-for-command.ts'
import { optionsOfPlan } from '../../planning/render-plan.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import { noteClientEvent, noteProject } from '../../terminal/notes.ts'
import { version } from '../../version.ts'
import type { doctor } from '../platform.ts'
import { checkDocument, confirmedFor, readDocument } from './check-document.ts'

type DoctorOptions = OfOneTarget<Values<typeof doctor>> & Pick<SharedOptions, 'shared'>

/** A doctor is asked because something is wrong: what does not answer is not asked five times. */
const attempts = 2

export async function doctorCommand(options: DoctorOptions, console: Console) {
  const report = await examine(options, console)
  await console.result(
    options.format === 'json' ? renderDoctorJson(report) : renderDoctorText(report, { ...console, ...options }),
  )
  return report.result === 'problem' ? exitCodes.error : exitCodes.done
}

async function examine(options: DoctorOptions, console: Console) {
  const { caFile, project, target, var: variables } = options
  const shown = { ...options, baseUrl: bare(options.baseUrl), authUrl: bare(options.authUrl) }
  const commands = {
    plan: ['svcsync plan', ...optionsOfPlan(shown)].join(' '),
    validate: ['svcsync validate', ...optionsOfPlan({ project, target, var: variables })].join(' '),
  }
  try {
    const opened = openProject({ ...openOptions(options), needSecrets: false })
    noteProject(opened.project.file, options, console)
    const { settings, target: chosen } = opened.project
    const retry = { ...settings.retry, attempts: Math.min(attempts, settings.retry.attempts) }
    const { openapi } = options
    const document = openapi === undefined ? undefined : await readDocument(openapi, chosen, caFile)
    const whole = options.verbose === true || options.format === 'json'
    return await doctorRun(opened, {
      kinds,
      commands,
      ...(openapi !== undefined && {
        more: (understood) => checkDocument(openapi, opened, { project, caFile, whole, document }, understood),
      }),
      confirmed: document && confirmedFor(document, chosen),
      purpose: options.for,
      ofSecrets:
        options.for === 'apply'
          ? problemsOfSecrets(opened, readProject({ ...openOptions(options), needSecrets: true }))
          : [],
      connect: ({ onEvent, onToken }, apiVersion = chosen.apiVersion) =>
        connect(
          { target: { ...chosen, apiVersion }, settings: { ...settings, retry } },
          {
            ...{ kinds, version, env, caFile, onToken },
            onEvent: (event) => {
              onEvent?.(event)
              noteClientEvent(event, console, options.verbose ?? false)
            },
          },
        ),
    })
  } catch (error) {
    if (error instanceof UnusableProject) return doctorOfUnusable(error.problems, commands)
    throw error
  }
}

/** An address is asked about before it is known that no credentials stand in it: such a one is not shown. */
function bare(address: string | undefined): string | undefined {
  return address === undefined || /[@?#\\]/.test(address) ? undefined : address
}
