import type { ApiDefinition } from './curl-to-api.ts'

/** An API tool that works as it is, without a key. */
export function apiStarter(name: string): ApiDefinition {
  return {
    name,
    description: 'Read what GitHub says about a repository.',
    endpoint: {
      url: 'https://api.github.com/repos/{owner}/{repo}',
      method: 'GET',
      timeout: 20,
    },
    parameters: {
      owner: { type: 'string', description: 'Whose repository it is.', default: 'nodejs' },
      repo: { type: 'string', description: "The repository's name.", default: 'undici' },
    },
    response: { format: 'json' },
  }
}
