// All commands, in the order of the help.
import type { Command } from '../program/command.ts'
import { changes } from './changes.ts'
import { ofPeople } from './people.ts'
import { ofPlatform } from './platform.ts'
import { ofProject } from './project.ts'
import { ofItself, ofReview } from './review.ts'

export const commands: Readonly<Record<string, Command>> = {
  ...changes,
  ...ofProject,
  ...ofPeople,
  ...ofReview,
  ...ofPlatform,
  ...ofItself,
}
