import { type Command, defineCommand } from '../command.ts'

export const completionCommand: Command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for your shell',
  arguments: {
    shell: { placeholder: 'SHELL', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
  },
  examples: [
    {
      command: 'source <(curfew completion bash)',
      summary: 'Add this line to ~/.bashrc to complete commands, options and their values.',
    },
    {
      command: 'source <(curfew completion zsh)',
      summary: 'Add this line to ~/.zshrc, after compinit.',
    },
    {
      command: 'curfew completion fish > ~/.config/fish/completions/curfew.fish',
      summary: 'Run this once, and again after an update.',
    },
  ],
  run: async ({ shell }) => (await import('../completion/run-completion.ts')).runCompletion(shell),
})
