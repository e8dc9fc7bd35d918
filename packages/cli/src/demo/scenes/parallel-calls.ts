import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import type { Scene } from '../scene.ts'
import type { DemoCall } from '../scene-runner.ts'

const weather = defineTool({
  name: 'weather',
  description: 'Get the weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, takesMs: { type: 'integer' }, answer: { type: 'string' } },
    required: ['city', 'takesMs'],
  },
  timeout: '3s',
  readOnly: true,
  concurrent: true,
  async execute(params, { signal }) {
    const { city, takesMs, answer } = params as { city: string; takesMs: number; answer?: string }
    await sleep(takesMs, undefined, { signal })
    if (answer === undefined) throw new Error(`unknown city ${city}`)
    return answer
  },
})

function weatherIn(city: string, takesMs: number, answer?: string): DemoCall {
  return {
    name: 'weather',
    label: `weather ${city}`,
    params: { city, takesMs, answer },
    expect:
      answer === undefined
        ? { status: 'error', code: 'TOOL_FAILED', endsAtMs: takesMs, contentIncludes: city }
        : { status: 'success', endsAtMs: takesMs, contentIncludes: answer },
  }
}

export const parallelCalls: Scene = {
  title: 'Five calls, one fails. Each gets its own result, in request order.',
  async run(runner) {
    runner.use(weather)
    const calls = [
      weatherIn('Oslo', 1_200, '4 degrees, snow'),
      weatherIn('Rome', 300, '21 degrees, sun'),
      weatherIn('Utopia', 600),
      weatherIn('Lima', 1_500, '18 degrees, fog'),
      weatherIn('Cairo', 900, '33 degrees, dust'),
    ]
    const results = await runner.batch(calls)
    const returned = results.map(({ id }) => id)
    const endOrder = runner.endOrder.map((label) => label.replace('weather ', '')).join(', ')
    const inOrder = returned.every((id, index) => id.endsWith(`-${index + 1}`))
    runner.claim(
      `finished as ${endOrder}; returned in request order`,
      inOrder && endOrder === 'Rome, Utopia, Cairo, Oslo, Lima',
    )
  },
}
