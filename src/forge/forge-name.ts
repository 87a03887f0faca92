// The forges by name, apart from what reaches them: every start of the command offers them.
export const forgeNames = ['github', 'gitlab', 'azure'] as const

export type ForgeName = (typeof forgeNames)[number]
