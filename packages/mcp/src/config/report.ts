/** Reports a problem of a server's field; `null` for the whole server. */
export type Report = (field: string | null, message: string, severity?: 'error' | 'warning') => void
