import { permissionCommands } from '@curfew/agent/internal'
import { describe, expect, it } from 'vitest'
import type { Command } from '../command.ts'
import { allCommands } from '../command-line/all-commands.ts'
import { parseArguments } from '../command-line/parse-arguments.ts'
import { findCommand } from '../command-line/run-command-line.ts'
import { splitShellWords } from '../new/split-shell-words.ts'
import { parseTimeoutArgs } from '../timeout/parse-timeout-args.ts'
import { curfewCommand } from './curfew-command.ts'

const commands = allCommands(curfewCommand).map(({ command, path }) => [path, command] as const)
const paths = commands.map(([path]) => path)

describe.each(commands)('%s', (path, command) => {
  it('has a summary that starts with a verb and has no period', () => {
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(command.summary.length).toBeLessThanOrEqual(70)
  })

  it('refers only to options and commands that exist', () => {
    const referred = Object.values(command.options).flatMap(({ requires = [], conflicts = [] }) => [
      ...requires,
      ...conflicts,
    ])
    expect(Object.keys(command.options)).toEqual(expect.arrayContaining(referred))
    expect(paths).toEqual(expect.arrayContaining([...command.seeAlso]))
  })

  it('has no option with the name of an argument', () => {
    const names = [...Object.keys(command.arguments), ...Object.keys(command.options), 'help']
    expect(names).toEqual([...new Set(names)])
  })

  it('has examples that can be parsed', async () => {
    const own = Object.keys(command.examples).flatMap((example) =>
      example.startsWith('curfew ') ? [splitShellWords(example.split(/ [|>] /, 1)[0]!)] : [],
    )
    for (const [, ...words] of own) {
      const found = findCommand(curfewCommand, words)
      expect(found.path).toBe(path)
      await expect(parse(found.command, found.path, found.rest)).resolves.toBeDefined()
    }
  })
})

async function parse(command: Command, path: string, args: readonly string[]): Promise<unknown> {
  return command.runRaw === null ? await parseArguments(command, path, args) : parseTimeoutArgs(args)
}

it('uses the same type and placeholder for options of the same name', () => {
  const shapes = new Map<string, Set<string>>()
  for (const [, command] of commands) {
    for (const [name, option] of Object.entries(command.options)) {
      const shape = option.type === 'boolean' ? 'boolean' : `${option.type} ${option.placeholder}`
      shapes.set(name, (shapes.get(name) ?? new Set()).add(shape))
    }
  }
  expect([...shapes].filter(([, each]) => each.size > 1)).toEqual([])
})

it('says of each command whether it changes permissions, so that the agent asks before it runs', () => {
  const others = ['acp', 'call', 'cancel', 'completion', 'demo', 'doctor', 'help', 'log', 'models', 'ps']
  others.push('review', 'sessions', 'stats', 'timeout', 'tools')
  const names = curfewCommand.subcommands.map(({ name }) => name)
  expect([...permissionCommands, ...others].sort()).toEqual(names.toSorted())
})
