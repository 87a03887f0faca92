// What a project of an installation that was exported holds beside its manifests.
import { policyExamples, templates } from './generated/templates.ts'

const environment = `# Copy to .env, which stays out of version control, and load it into the shell: set -a; . ./.env; set +a

# The API application that svcsync acts as
SVCSYNC_CLIENT_ID=
SVCSYNC_CLIENT_SECRET=

# One line for each \${env:…} in the manifests, for instance a password of a connection
`

/** Path inside the project → content: workflows for CI that use the target, and the variables that are needed. */
export function liveTemplates(target: string): Readonly<Record<string, string>> {
  const workflows = Object.entries(templates)
    .filter(([file]) => file.startsWith('.github/'))
    .map(([file, text]) => [
      file,
      text
        .replaceAll(
          'SVCSYNC_TARGET: prod',
          `SVCSYNC_TARGET: ${JSON.stringify(target)}`.replace(/"([A-Za-z][\w-]*)"/, '$1'),
        )
        .replaceAll('svcsync-apply-prod', `svcsync-apply-${target}`),
    ])
  return { ...Object.fromEntries(workflows), '.env.example': environment, 'policies/examples.yaml': policyExamples }
}
