// The conformance fixture over stdio, as a server behind the gateway: for both protocols, or with `2025` only for the older one.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFixture } from './fixture/fixture.ts'

const createServer = createFixture()
if (process.argv[2] === '2025') await createServer().connect(new StdioServerTransport())
else serveStdio(createServer)
