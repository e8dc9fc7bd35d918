/**
 * The program that the conformance suite starts for each scenario, with a server's URL as its last argument. Forty of them that
 * load all our modules would take a minute on a small machine, so the work can be delegated to a process that has loaded them.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Scenario } from './client-scenario.ts'

const scenario: Scenario = {
  url: process.argv.at(-1)!,
  context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
}
const path = process.env.CURFEW_CLIENT_SOCKET
if (path === undefined) {
  const { playScenario } = await import('./client-scenario.ts')
  await playScenario(scenario)
} else {
  const socket = connect(path)
  await once(socket, 'connect')
  socket.end(JSON.stringify(scenario))
  const problem = await text(socket)
  if (problem !== '') {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 1
  }
}
