import { expect, test } from 'vitest'
import { packageRunnerOf } from './package-runner.ts'

test.each([
  ['npx -y some-server', 'npx'],
  ['/usr/local/bin/npx some-server', 'npx'],
  ['cmd /c npx -y some-server', 'npx'],
  ['env A=b uvx some-server', 'uvx'],
  ['npm exec --yes some-server', 'npm'],
  ['pnpm dlx some-server', 'pnpm'],
  ['yarn dlx some-server', 'yarn'],
  ['bunx some-server', 'bunx'],
  ['uv run --with fastmcp server.py', 'uv'],
  ['uv tool run some-server', 'uv'],
  ['pipx run some-server', 'pipx'],
  ['docker run -i --rm image', 'docker'],
  ['podman run -i image', 'podman'],
  ['docker exec -i box server', null],
  ['npm start', null],
  ['node server.js', null],
  ['my-server npx', null],
  ['npx-like-server', null],
])('%s is downloaded by %s', (line, runner) => {
  const [command = '', ...args] = line.split(' ')
  expect(packageRunnerOf(command, args)).toBe(runner)
})
