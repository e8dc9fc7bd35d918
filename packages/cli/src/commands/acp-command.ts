import { type Command, defineCommand } from '../command.ts'
import { promptOptions } from './prompt-options.ts'
import { modelOption, setOption } from './shared-options.ts'

export const acpCommand: Command = defineCommand({
  name: 'acp',
  summary: 'Serve the agent to an editor, over the Agent Client Protocol',
  options: {
    model: { ...modelOption, summary: `Use this model. ${modelOption.summary}` },
    mode: promptOptions.mode,
    set: setOption,
  },
  notes: [
    'Editors start this command themselves and talk to it over standard input and output; standard error has what they do not show.',
  ],
  examples: {
    'curfew acp --model anthropic:claude-sonnet-5-5': 'The command that an editor such as Zed runs.',
  },
  guide: 'acp.md',
  run: async (input) => (await import('../acp/run-acp.ts')).runAcp(input),
})
