import type { ApiRequest } from './build-request.ts'

/** `GET https://api.example.com/users/7`: the query is left out, since it may hold secrets. */
export function nameRequest({ method, origin, shown }: ApiRequest): string {
  return `${method} ${origin}${shown}`
}
