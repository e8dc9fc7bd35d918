import type { Tool } from './tool.ts'

/** Whether only the tool decides if these parameters are valid. It gets no other value than an object. */
export function passesAsItIs({ validatesItself }: Pick<Tool, 'validatesItself'>, params: unknown): boolean {
  return validatesItself && typeof params === 'object' && params !== null && !Array.isArray(params)
}
