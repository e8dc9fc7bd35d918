// The conformance fixture over stdio, as a server behind the gateway: for both protocols, or (`2025`) as the
// many servers that know nothing of the newer one.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFixture } from './fixture/fixture.ts'

const createServer = createFixture()
if (process.argv[2] === '2025') await createServer().connect(new StdioServerTransport())
else serveStdio(createServer)
