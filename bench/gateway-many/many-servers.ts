import type { Servers } from '../gateway/mcp-servers.ts'
import { everything, filesystem, memory, sequentialThinking } from '../gateway/programs.ts'

const copies = 7

/** 28 servers: four real ones, each under seven names. */
export function manyServers(home: string): Servers {
  const programs = {
    everything: [...everything, 'stdio'],
    filesystem: [...filesystem, home],
    memory,
    thinking: sequentialThinking,
  } as const
  return Object.fromEntries(
    Object.entries(programs).flatMap(([name, argv]) =>
      Array.from({ length: copies }, (_, index) => [`${name}${index + 1}`, argv]),
    ),
  )
}
