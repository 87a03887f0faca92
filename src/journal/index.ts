// Journals: what other folders may use.
export { beginJournal, continueJournal, type Journal, type JournalledPlan, type JournalPlace } from './journal.ts'
export { type JournalState, readJournal } from './read-journal.ts'
