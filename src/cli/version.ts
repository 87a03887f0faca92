// The version, put in by the build.
declare const SVCSYNC_VERSION: string | undefined

export const version = typeof SVCSYNC_VERSION === 'string' ? SVCSYNC_VERSION : '0.0.0-source'
