import type { ApiRequest } from './build-request.ts'

/** `GET https://api.example.com/users/7`, without the query, which may contain secrets. */
export function formatRequest({ method, origin, displayPath }: ApiRequest): string {
  return `${method} ${origin}${displayPath}`
}
