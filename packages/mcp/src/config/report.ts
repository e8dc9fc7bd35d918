/** Says what is wrong with a field of a server; `null` stands for the server as a whole. */
export type Report = (field: string | null, message: string, severity?: 'error' | 'warning') => void
