const maxResources = 100

/** The resources in the parameters of `subscriptions/listen`. */
export function listenedResources(params: unknown): readonly string[] {
  const { notifications } = Object(params) as { notifications?: unknown }
  const { resourceSubscriptions } = Object(notifications) as { resourceSubscriptions?: unknown }
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []
  return uris.filter((uri) => typeof uri === 'string').slice(0, maxResources)
}
