// The routing table as a hono application. Hono routes; answers are written to the connection by the exchange, which
// alone knows when they are due and what a fault does to them.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { interfaceDocument } from '../interface-document.ts'
import { routes } from '../routes/index.ts'
import { jsonAnswer } from './answer.ts'
import { type Env, failedAnswer, type Platform, runExchange, splitOnce } from './exchange.ts'
import { Refusal } from './refusal.ts'
import type { ApiVersion, Route } from './route.ts'
import { prefixOf, runRoute } from './run-route.ts'
import { answerTokenRequest, tokenPath } from './token-endpoint.ts'

export function createApp(platform: Platform): Hono<Env> {
  // Paths stay percent-encoded until each parameter is decoded once: ids hold slashes and percent signs.
  const app = new Hono<Env>({ getPath: (_, options) => rawPath(options?.env) })
  app.use('*', async (c, next) => {
    if (c.env.incoming.url?.startsWith('/_control')) return await next()
    if (c.env.instead !== undefined) {
      c.set('exchange', c.env.instead)
      await next()
      return RESPONSE_ALREADY_SENT
    }
    await runExchange(platform, c, next, async (url, instead) => {
      const incoming = Object.create(c.env.incoming, { url: { value: url } }) as typeof c.env.incoming
      await app.fetch(c.req.raw, { ...c.env, incoming, instead })
    })
    return RESPONSE_ALREADY_SENT
  })
  const answering = (produce: (c: Context<Env>) => ReturnType<typeof runRoute>) => (c: Context<Env>) => {
    const exchange = c.get('exchange')
    try {
      exchange.answer = produce(c)
    } catch (error) {
      exchange.answer = failedAnswer(platform, error)
    }
    return RESPONSE_ALREADY_SENT
  }
  app.post(
    tokenPath,
    answering((c) => {
      const { accept, 'content-type': contentType } = c.env.incoming.headers
      return answerTokenRequest(platform, { accept, contentType, bodyText: c.get('exchange').bodyText })
    }),
  )
  // As an installation publishes its own, to anybody.
  for (const api of ['5.0', '6.0'] as const) {
    app.get(
      `/openapi/${api}.json`,
      answering(() => jsonAnswer(200, interfaceDocument(api))),
    )
  }
  const paths = new Set([tokenPath])
  for (const [api, route] of versionedRoutes()) {
    const path = `${prefixOf(api)}${route.path}`
    paths.add(path)
    app.on(
      route.method,
      path,
      answering((c) => runRoute(platform, route, api, c)),
    )
  }
  for (const path of paths) {
    app.all(
      path,
      answering(() => {
        throw new Refusal(405, 'UnsupportedOperation', 'The method is not supported here.')
      }),
    )
  }
  app.notFound((c) => {
    if (c.get('exchange') === undefined) return new Response(null, { status: 404 })
    return answering(() => {
      throw new Refusal(404, 'ResourceNotFound', 'There is nothing at this address.')
    })(c)
  })
  return app
}

function rawPath(env: unknown): string {
  const { incoming } = env as Env['Bindings']
  return splitOnce(incoming.url ?? '/', '?')[0]
}

/** Routes with literal segments first: `licenses/summary` is no svcId. */
function versionedRoutes(): [ApiVersion, Route][] {
  const ordered = [...routes].sort((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')))
  return ordered.flatMap((route): [ApiVersion, Route][] => {
    const versions: readonly ApiVersion[] = route.only === undefined ? ['6.0', '5.0'] : [route.only]
    return versions.map((api) => [api, route])
  })
}
