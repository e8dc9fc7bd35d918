import { type Command, defineCommand, flag } from '../command.ts'
import { modelOption, setOption } from './shared-options.ts'

export const modelsCommand: Command = defineCommand({
  name: 'models',
  summary: 'List models and check that they respond',
  description: [
    'The list contains the model that the agent uses, its fallback, the models that your configuration mentions, and the default model of each provider whose key exists. For each one it shows where it is set, its server and its key, but never the value of the key.',
    'Each model gets a tiny request, at the same time as the others, and 10 s to respond.',
  ],
  options: {
    model: { ...modelOption, summary: `List only this model. ${modelOption.summary}` },
    'no-check': flag('Send no requests'),
    set: setOption,
    json: flag('Print one JSON object: { selected, models, error, problems }'),
  },
  examples: {
    'curfew models --model openai-compatible:qwen3@http://127.0.0.1:8080/v1': 'Check a local model.',
  },
  exitCodes: { 0: 'The selected model responds', 1: 'It does not, or there is none' },
  seeAlso: ['curfew config', 'curfew secret set'],
  guide: 'models.md',
  run: async (input) => (await import('../models/run-models.ts')).runModels(input),
})
