// The conformance fixture over stdio, for both protocols: what the gateway has as its upstream.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFixture } from './fixture/fixture.ts'

serveStdio(createFixture())
