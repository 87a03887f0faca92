// A global or process constant: one value in common, and one for each environment that does not inherit it.
export const environments = ['dev', 'test', 'prod'] as const
export type Environment = (typeof environments)[number]

export interface Constant {
  readonly id: number
  readonly guid: string
  name: string
  description: string | null
  groupId: number | null
  common: string
  dev?: string | undefined
  test?: string | undefined
  prod?: string | undefined
}
