/** Prefixes of API keys and tokens. */
const known = /\b(?:sk|pk|rk|gsk|xai|ghp|hf)[-_][\w.*-]{6,}|\bAIza[\w*-]{6,}|\b(?:AQ|ya29)\.[\w.*-]{6,}/g
const authorization = /\b(Bearer|Basic|x-api-key:?|api[-_ ]key:?)\s+["']?([\w.+/=*-]{8,})/gi
const query = /([?&](?:key|api_?key|token|access_token)=)[^\s&"']+/gi
/** A long run of letters and digits; names of models and addresses contain separators. */
const random = /[A-Za-z0-9+=]{24,}/g

/** Removes what may be a key from a provider's message, because some repeat the key that they reject. */
export function withoutKeys(text: string): string {
  return text
    .replace(query, '$1[removed]')
    .replace(authorization, (all, scheme: string, value: string) =>
      // A word, as in "Incorrect API key provided".
      /^api.key$/i.test(scheme) && /^[a-z]{8,16}$/.test(value) ? all : `${scheme} [removed]`,
    )
    .replace(known, '[removed]')
    .replace(random, (run) => (/[A-Za-z]/.test(run) && /\d/.test(run) ? '[removed]' : run))
}
