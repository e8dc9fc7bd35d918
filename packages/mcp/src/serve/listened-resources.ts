/** The resources that a `subscriptions/listen` names. The SDK answers it, and tells nobody what was asked for. */
export function listenedResources(message: unknown): readonly string[] {
  const { method, params } = Object(message) as { method?: unknown; params?: { notifications?: unknown } }
  if (method !== 'subscriptions/listen') return []
  const { resourceSubscriptions } = Object(params?.notifications) as { resourceSubscriptions?: unknown }
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []
  return uris.filter((uri) => typeof uri === 'string').slice(0, mostResources)
}

const mostResources = 100
