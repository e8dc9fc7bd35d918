import type { ApiDefinition } from './curl-to-api.ts'

/** A working API tool that needs no key. */
export function apiStarter(name: string): ApiDefinition {
  return {
    name,
    description: 'Get information about a GitHub repository.',
    endpoint: {
      url: 'https://api.github.com/repos/{owner}/{repo}',
      method: 'GET',
      timeout: 20,
    },
    parameters: {
      owner: { type: 'string', description: 'The owner of the repository.', default: 'nodejs' },
      repo: { type: 'string', description: 'The name of the repository.', default: 'undici' },
    },
    response: { format: 'json' },
  }
}
