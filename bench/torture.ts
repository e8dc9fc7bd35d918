import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSuite, type SuiteReport, toMarkdown } from '../packages/torture/src/index.ts'
import type { Findings } from './report.ts'

/** The adapters of tool-torture, and the packages that they need besides Curfew. */
const adapters: Readonly<Record<string, string | null>> = {
  bare: null,
  curfew: null,
  'curfew-prompt': null,
  'curfew-gateway': null,
  'ai-sdk': '@ai-sdk/mcp',
  'openai-agents': '@openai/agents',
  'gemini-cli': '@google/gemini-cli-core',
  'mcp-proxy': 'mcp-proxy',
}
const folder = join(import.meta.dirname, '../packages/torture/adapters')

export const torturePeers: readonly string[] = Object.values(adapters).filter((name) => name !== null)

/** Runs tool-torture with all adapters; `--only=NAME` selects one, `--output=DIR` writes the reports with all records. */
export async function measureTorture(args: readonly string[]): Promise<Findings> {
  const option = (name: string): string | undefined =>
    args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const only = option('only')
  const output = option('output')
  const reports: SuiteReport[] = []
  for (const name of Object.keys(adapters).filter((one) => only === undefined || one === only)) {
    for (const settings of ['recommended', 'best'] as const) {
      process.stderr.write(`${name}, ${settings} settings\n`)
      const report = await runSuite({ adapter: join(folder, `${name}.mjs`), settings })
      reports.push(report)
      if (output === undefined) continue
      mkdirSync(output, { recursive: true })
      writeFileSync(join(output, `${name}-${settings}.json`), `${JSON.stringify(report, null, 2)}\n`)
    }
  }
  if (output !== undefined) writeFileSync(join(output, 'torture.md'), toMarkdown(reports))
  return {
    tables: [
      {
        title: 'tool-torture: verdicts',
        head: ['', 'settings', 'version', 'passed', 'failed', 'not applicable', 'seconds'],
        rows: reports.map(({ product, settings, version, cells, seconds }) => [
          product,
          settings,
          version,
          ...(['pass', 'fail', 'n/a'] as const).map((verdict) =>
            String(cells.filter((cell) => cell.verdict === verdict).length),
          ),
          String(seconds),
        ]),
      },
    ],
    targets: reports
      .filter(({ product, settings }) => product.startsWith('Curfew') && settings === 'best')
      .map(({ product, cells }) => ({
        name: `${product}: failures`,
        figure: cells.filter(({ verdict }) => verdict === 'fail').length,
        unit: '',
        atMost: 0,
      })),
    information: [],
  }
}
