export type { HistoryItem } from './history/history-item.ts'
