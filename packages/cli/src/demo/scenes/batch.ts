import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'
import type { Act } from '../stage.ts'

const weather = defineTool({
  name: 'weather',
  description: 'Say what the weather is like in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, takesMs: { type: 'integer' }, says: { type: 'string' } },
    required: ['city', 'takesMs'],
  },
  timeout: '3s',
  readOnly: true,
  concurrent: true,
  async execute(params, { signal }) {
    const { city, takesMs, says } = params as { city: string; takesMs: number; says?: string }
    await sleep(takesMs, undefined, { signal })
    if (says === undefined) throw new Error(`no city called ${city}`)
    return says
  },
})

function ask(city: string, takesMs: number, says?: string): Act {
  return {
    name: 'weather',
    label: `weather ${city}`,
    params: { city, takesMs, says },
    expect:
      says === undefined
        ? { status: 'error', code: 'TOOL_FAILED', endsAtMs: takesMs, reads: city }
        : { status: 'success', endsAtMs: takesMs, reads: says },
  }
}

export const batch: Scene = {
  title: 'Five calls, one fails. Each gets its own result, in the order of asking.',
  async run(stage) {
    stage.use(weather)
    const acts = [
      ask('Oslo', 1_200, '4 degrees, snow'),
      ask('Rome', 300, '21 degrees, sun'),
      ask('Utopia', 600),
      ask('Lima', 1_500, '18 degrees, fog'),
      ask('Cairo', 900, '33 degrees, dust'),
    ]
    const results = await stage.batch(acts)
    const returned = results.map(({ id }) => id)
    const ended = stage.ended.map((label) => label.replace('weather ', '')).join(', ')
    const inOrder = returned.every((id, index) => id.endsWith(`-${index + 1}`))
    stage.claim(
      `finished as ${ended}; returned in request order`,
      inOrder && ended === 'Rome, Utopia, Cairo, Oslo, Lima',
    )
  },
}
