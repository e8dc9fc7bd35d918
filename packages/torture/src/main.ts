import { existsSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { settings as allSettings, type Settings } from './adapter/adapter.ts'
import { allCases } from './cases/all-cases.ts'
import { toMarkdown } from './report/to-markdown.ts'
import { toLine, toSummary } from './report/to-text.ts'
import { runSuite } from './suite/run-suite.ts'

const help = `Usage: tool-torture --adapter FILE [options]

Run hostile tools, processes and servers through a runtime for tool calls, and report which calls end as they should.

  --adapter FILE      the adapter of the product (see the README)
  --only PATTERN      run only the cases whose id matches, such as '^time/' or 'never-returns$'
  --settings NAME     recommended (default) or best
  --repeat N          run each case N times; a case with different verdicts is flaky, and not scored (default 1)
  --jobs N            run N cases at a time (default 2)
  --json              print the report with all records as JSON
  --markdown          print the report as Markdown
  --output FILE       write the report to a file instead of printing it
  --list              list all cases, and who is hurt when they fail

Exit codes: 0 if no case failed, 1 if one did, 2 if the suite could not run.
`

class InvalidUsage extends Error {}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      adapter: { type: 'string' },
      only: { type: 'string' },
      settings: { type: 'string', default: 'recommended' },
      repeat: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '2' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      output: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return print(help)
  const only = values.only === undefined ? undefined : toPattern(values.only)
  if (values.list) {
    const lines = allCases
      .filter(({ id }) => only?.test(id) ?? true)
      .map(({ id, hurts }) => `${id}\n    ${hurts}\n`)
    return print(lines.join(''))
  }
  if (platform() !== 'linux')
    throw new InvalidUsage('tool-torture observes processes through /proc, so it requires Linux')
  if (values.adapter === undefined)
    throw new InvalidUsage('--adapter: expected the file of an adapter; see --help')
  const adapter = resolve(values.adapter)
  if (!existsSync(adapter)) throw new InvalidUsage(`--adapter: ${values.adapter} does not exist`)
  if (only !== undefined && !allCases.some(({ id }) => only.test(id)))
    throw new InvalidUsage(`--only: no case matches ${values.only}; --list shows all`)

  const isReport = values.json || values.markdown
  const report = await runSuite({
    adapter,
    settings: toSettings(values.settings),
    only,
    repeat: toCount('--repeat', values.repeat),
    jobs: toCount('--jobs', values.jobs),
    // A report on standard output is not mixed with the progress.
    onResult: (cell) => (isReport ? process.stderr : process.stdout).write(`${toLine(cell)}\n`),
  })
  const text = values.json
    ? `${JSON.stringify(report, null, 2)}\n`
    : values.markdown
      ? toMarkdown([report])
      : `\n${toSummary(report)}\n`
  if (values.output !== undefined) writeFileSync(values.output, text)
  else print(text)
  return report.cells.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function toPattern(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    throw new InvalidUsage(`--only: expected a regular expression, got ${text}`)
  }
}

function toCount(option: string, text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidUsage(`${option}: expected a positive integer, got ${text}`)
  return count
}

function toSettings(text: string): Settings {
  const found = allSettings.find((one) => one === text)
  if (found === undefined)
    throw new InvalidUsage(`--settings: expected ${allSettings.join(' or ')}, got ${text}`)
  return found
}

const exitCode = await main().catch((error) => {
  const isUsage = error instanceof InvalidUsage || String(error?.code).startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`tool-torture: ${isUsage ? error.message : (error.stack ?? error)}\n`)
  if (error.cause !== undefined) process.stderr.write(`${error.cause.stack ?? error.cause}\n`)
  return 2
})
// Whatever an adapter has left open in this process does not keep it.
process.stdout.write('', () => process.exit(exitCode))
