// The three forges as a job sees them: what each pretends, and the variables that it sets.
import type { ForgeName } from '../../src/forge/forge-name.ts'
import { azure } from './pretended-azure.ts'
import { type Dialect, token } from './pretended-forge.ts'
import { gitHub } from './pretended-github.ts'
import { gitLab } from './pretended-gitlab.ts'

interface PretendedJob {
  readonly title: string
  readonly dialect: Dialect
  /** `own`: another token. */
  env(url: string, own?: string): Record<string, string>
  /** How anna is named in CODEOWNERS. */
  readonly anna: string
}

export const forgesOfTests: Readonly<Record<ForgeName, PretendedJob>> = {
  github: {
    title: 'GitHub',
    dialect: gitHub(30),
    env: (url, own = token) => ({ GITHUB_TOKEN: own, GITHUB_REPOSITORY: 'org/config', GITHUB_API_URL: url }),
    anna: '@anna',
  },
  gitlab: {
    title: 'GitLab',
    dialect: gitLab(30),
    env: (url, own = token) => ({ GITLAB_TOKEN: own, CI_API_V4_URL: `${url}/api/v4`, CI_PROJECT_ID: '42' }),
    anna: '@anna',
  },
  azure: {
    title: 'Azure DevOps',
    dialect: azure(),
    env: (url, own = token) => ({
      SYSTEM_ACCESSTOKEN: own,
      SYSTEM_COLLECTIONURI: `${url}/org/`,
      SYSTEM_TEAMPROJECTID: 'project-id',
      BUILD_REPOSITORY_ID: 'repo-id',
    }),
    anna: 'anna@example.com',
  },
}
