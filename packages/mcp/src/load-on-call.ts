import type * as upstreams from './client/open-upstreams.ts'
import type * as gateway from './gateway/create-gateway.ts'
import type * as http from './serve/serve-gateway-http.ts'
import type * as stdio from './serve/serve-gateway-stdio.ts'

// The package's asynchronous functions load their implementation, and with it the MCP SDK, when they are called: importing the
// package is cheap for programs that may not need a server at all.

export const openUpstreams: typeof upstreams.openUpstreams = async (...args) =>
  await (await import('./client/open-upstreams.ts')).openUpstreams(...args)

export const createGateway: typeof gateway.createGateway = async (...args) =>
  await (await import('./gateway/create-gateway.ts')).createGateway(...args)

export const serveGatewayOverHttp: typeof http.serveGatewayOverHttp = async (...args) =>
  await (await import('./serve/serve-gateway-http.ts')).serveGatewayOverHttp(...args)

export const serveGatewayOverStdio: typeof stdio.serveGatewayOverStdio = async (...args) =>
  await (await import('./serve/serve-gateway-stdio.ts')).serveGatewayOverStdio(...args)
