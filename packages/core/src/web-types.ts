/**
 * Global types of the public API. TypeScript knows them from the DOM library or from @types/node; in a project that has
 * neither, these minimal types apply, so that the declarations of this package type-check everywhere.
 */
export type WebAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean
      readonly reason: unknown
      addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
      removeEventListener(type: 'abort', listener: () => void): void
    }

export type WebURL = typeof globalThis extends { URL: { prototype: infer Url } }
  ? Url
  : { readonly href: string }
