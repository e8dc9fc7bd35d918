import { loadavg } from 'node:os'
import { measureAgentTools } from './agent-tools.ts'
import { measureAgents } from './agents.ts'
import { measureApi } from './api.ts'
import { clientPackages, measureClients } from './clients.ts'
import { measureDeadlines } from './deadlines.ts'
import { measureFuzz } from './fuzz.ts'
import { measureGateway } from './gateway.ts'
import { measureGatewayMany } from './gateway-many.ts'
import { measureJournal } from './journal.ts'
import { measureLoop } from './loop.ts'
import { describeMachine } from './machine.ts'
import { measureModelFuzz } from './model-fuzz.ts'
import { measureProcesses } from './processes.ts'
import { type Findings, isMet, toJson, toText } from './report.ts'
import { measureReview } from './review.ts'
import { measureReviewWild } from './review-wild.ts'
import { measureScheduler } from './scheduler.ts'
import { measureSoak } from './soak.ts'
import { measureStartup } from './startup.ts'
import { measureTelemetry } from './telemetry.ts'
import { measureTokens } from './tokens.ts'
import { measureTorture, torturePeers } from './torture.ts'
import { measureUi } from './ui.ts'
import { coreVersion, peerVersion } from './versions.ts'

interface Bench {
  readonly about: string
  /** Receives the whole command line. */
  readonly measure: (args: readonly string[]) => Promise<Findings>
  /** Packages that it compares with. */
  readonly peers?: readonly string[]
}

const benches: Readonly<Record<string, Bench>> = {
  scheduler: {
    about: 'cost of a call, compared with Gemini CLI (2 minutes)',
    measure: measureScheduler,
    peers: ['@google/gemini-cli-core'],
  },
  api: { about: 'an API tool compared with the bare request (30 seconds)', measure: measureApi },
  'agent-tools': {
    about: 'file search, compared with ripgrep, and checkpoints (3 minutes)',
    measure: measureAgentTools,
    peers: ['@vscode/ripgrep'],
  },
  deadlines: { about: '10,000 deadlines within a second (25 seconds)', measure: measureDeadlines },
  soak: { about: 'leaks after a million calls (30 seconds)', measure: measureSoak },
  processes: {
    about: 'survivors and cost of commands, compared with GNU timeout, execa and tree-kill (5 minutes)',
    measure: measureProcesses,
    peers: ['execa', 'tree-kill'],
  },
  gateway: {
    about:
      'a call through the MCP gateway, compared with a direct call, mcp-proxy, supergateway and mcp-hub (2 minutes)',
    measure: measureGateway,
    peers: ['mcp-proxy', 'supergateway', 'mcp-hub'],
  },
  clients: {
    about:
      'agents and client libraries in front of the MCP gateway, over stdio and HTTP (5 minutes; --only=NAME)',
    measure: measureClients,
    peers: clientPackages,
  },
  'gateway-many': {
    about: '28 servers behind the MCP gateway, compared with mcp-hub (4 minutes)',
    measure: measureGatewayMany,
    peers: ['mcp-hub'],
  },
  journal: {
    about: 'what recording calls costs, and a journal with a million calls (3 minutes)',
    measure: measureJournal,
  },
  loop: { about: 'a turn of the agent, compared with the AI SDK (1 to 2 minutes)', measure: measureLoop },
  startup: {
    about: 'startup time of the command line, relative to Node (1 minute)',
    measure: measureStartup,
  },
  telemetry: { about: 'cost of a span and a metric per call (20 seconds)', measure: measureTelemetry },
  tokens: {
    about:
      "size of the gateway's tool list in each view (10 seconds; --lists DIR for stored tools/list results)",
    measure: measureTokens,
  },
  torture: {
    about:
      'hostile tools, commands and servers (packages/torture) against Curfew and other runtimes (1 hour; --only=ADAPTER, --output=DIR)',
    measure: measureTorture,
    peers: torturePeers,
  },
  fuzz: {
    about: 'mutated messages to the MCP gateway from both sides (5 minutes; --seconds N, --seed N)',
    measure: measureFuzz,
  },
  'model-fuzz': {
    about: 'hostile model servers, with the real provider packages (5 minutes; --seconds N, --seed N)',
    measure: measureModelFuzz,
  },
  agents: {
    about: 'Claude Code and Gemini CLI as tools, with a model on this machine (1 minute)',
    measure: measureAgents,
    peers: ['@anthropic-ai/claude-code', '@google/gemini-cli'],
  },
  ui: {
    about:
      "the React hooks, compared with Gemini CLI's, and curfew on a terminal, compared with Gemini CLI and Claude Code (5 minutes)",
    measure: measureUi,
    peers: ['@google/gemini-cli', '@anthropic-ai/claude-code'],
  },
  review: { about: 'review of a thousand tool definitions (10 seconds)', measure: measureReview },
  'review-wild': {
    about:
      'review of definitions that others published (--lists=DIR, --labels=FILE, --sample=FILE; 5 seconds)',
    measure: measureReviewWild,
  },
}

// Exits on a signal, so that exit handlers clean up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<0 | 1 | 2> {
  const name = args.find((arg) => !arg.startsWith('-')) ?? ''
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
  if (bench === undefined) return misuse(`usage: npm run bench -- <name> [--json]\n${listBenches()}`)
  const versions: Record<string, string> = { '@curfew/core': coreVersion() }
  for (const peer of bench.peers ?? []) {
    const version = peerVersion(peer)
    if (version === null) return misuse(`${peer} is not installed; run: npm run bench:setup`)
    versions[peer] = version
  }
  const machine = describeMachine()
  const findings = await bench.measure(args)
  const report = {
    bench: name,
    machine,
    versions,
    loadAfter: loadavg()[0]!,
    ...findings,
  }
  process.stdout.write(args.includes('--json') ? toJson(report) : toText(report))
  return findings.targets.every(isMet) ? 0 : 1
}

function listBenches(): string {
  return Object.entries(benches)
    .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
    .join('\n')
}

function misuse(message: string): 2 {
  process.stderr.write(`${message}\n`)
  return 2
}
