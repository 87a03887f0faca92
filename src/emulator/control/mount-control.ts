// /_control: what tests and people use to look into the embedded platform and to disturb it. Not part of the platform.
import type { Context, Hono } from 'hono'
import { readText } from '../http/body.ts'
import type { Env, Platform } from '../http/exchange.ts'

export type LoadState = (tenant: unknown) => void
export type ControlHandler = (body: unknown, c: Context<Env>) => unknown

export function mountControl(app: Hono<Env>, platform: Platform, load: LoadState): void {
  void [app, platform, load, readText]
}
