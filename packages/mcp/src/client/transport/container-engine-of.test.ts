import { expect, test } from 'vitest'
import { containerEngineOf } from './container-engine-of.ts'

const engineOf = (line: string) => containerEngineOf(line.split(' '))?.join(' ') ?? null

test.for([
  ['docker run -i --rm mcp/fetch', 'docker'],
  ['/usr/local/bin/podman run -i mcp/fetch', '/usr/local/bin/podman'],
  [
    'docker --context remote -H tcp://host:2375 --debug run mcp/fetch',
    'docker --context remote -H tcp://host:2375 --debug',
  ],
  ['docker --context=remote container run mcp/fetch', 'docker --context=remote container'],
  ['sudo -n docker run mcp/fetch', 'sudo -n docker'],
  ['sudo -n -u mcp podman run mcp/fetch', 'sudo -n -u mcp podman'],
  ['env DOCKER_HOST=x docker run mcp/fetch', 'env DOCKER_HOST=x docker'],
] as const)('%s is a container of %s', ([line, engine]) => {
  expect(engineOf(line)).toBe(engine)
})

test.for([
  'docker compose run server',
  'docker --debug compose run server',
  'docker exec -i server run',
  'docker mcp gateway run',
  'npx -y docker run',
  'node docker run',
  'docker',
  'run',
])('%s is not', (line) => {
  expect(engineOf(line)).toBeNull()
})
