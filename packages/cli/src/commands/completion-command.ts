import { type Command, defineCommand } from '../command.ts'

export const completionCommand: Command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for your shell',
  arguments: {
    shell: { placeholder: 'SHELL', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
  },
  examples: {
    'source <(curfew completion bash)':
      'Add this line to ~/.bashrc to complete commands, options and their values.',
    'source <(curfew completion zsh)': 'Add this line to ~/.zshrc, after compinit.',
    'curfew completion fish > ~/.config/fish/completions/curfew.fish':
      'Run this once, and again after an update.',
  },
  run: async ({ shell }) => (await import('../completion/run-completion.ts')).runCompletion(shell),
})
