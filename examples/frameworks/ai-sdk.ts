// The AI SDK with the tools of a runtime.
import { toAiSdkTools } from '@curfew/ai-sdk'
import { streamText } from 'ai'
import { scriptedModel } from './scripted-model.ts'
import { print, runtime } from './tools.ts'

// begin
const turn = runtime.conversation().turn()
const result = streamText({ model: scriptedModel(), prompt: 'go', ...toAiSdkTools(turn) })
// end

print(`answer: ${await result.text}`)
await runtime.close()
