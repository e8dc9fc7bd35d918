/** Reports a problem of a server's field; `null` for the whole server. */
export type Report = (field: string | null, message: string, kind?: ReportKind) => void

/** `unset`: an error only because of an environment variable with this name. */
export type ReportKind = 'error' | 'warning' | { readonly unset: string }
