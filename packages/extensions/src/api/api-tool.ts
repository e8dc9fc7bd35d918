import type { Tool } from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { parseResources, parseTimeout } from '../config/tool-file.ts'
import { hostUse } from '../secrets/host-use.ts'
import type { ApiFile, Method } from './api-file.ts'
import type { ApiPlan } from './api-plan.ts'
import type { Params } from './build-request.ts'
import { callApi } from './call-api.ts'

const prefix = 'api_'
const readingMethods: ReadonlySet<Method> = new Set(['GET', 'HEAD'])
const repeatableMethods: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** A tool that sends an HTTP request. */
export function apiTool(name: string, file: ApiFile, plan: ApiPlan): Tool<never, unknown> {
  const { description, usage, concurrent, idempotent, endpoint } = file
  const { timeout } = endpoint
  return defineToolFrom(
    {
      name: apiToolName(name),
      description,
      usage,
      concurrent,
      // A request that is not safe to repeat changes something, whatever its method.
      readOnly: file.readOnly ?? ((reads(file) && idempotent !== false) || undefined),
      idempotent: idempotent ?? (repeatableMethods.has(plan.method) || undefined),
      resources: parseResources(file, Object.keys(file.parameters)),
      openWorld: true,
      secrets: plan.secrets,
      ...(timeout !== undefined && { timeout: parseTimeout(timeout, 'endpoint.timeout') }),
      ...(plan.schema !== undefined && { parameters: plan.schema }),
      execute: (params, context) => callApi(plan, params as Params, context),
    },
    { adapter: 'api', isFromFile: true, secretUse: hostUse(plan.url) },
  )
}

/** Whether the method of the request changes nothing. */
export function reads({ endpoint }: ApiFile): boolean {
  return readingMethods.has(endpoint.method)
}

export function apiToolName(name: string): string {
  return name.startsWith(prefix) ? name : prefix + name
}
