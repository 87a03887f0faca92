// Fields of requests that svcsync does not know: newer ones, or an installation's own.

export const extraField = {
  type: 'open',
  description:
    'Fields that svcsync does not know, under the names that the installation gives them. They are sent along, and compared where the platform tells them.',
  examples: [{ costCentre: 'A-12' }],
} as const
