/** Types of the messages on the WebSocket. Requests are handled in server/page_messages.py. */

/** @typedef {{before: number, html: string[]}} Steps */
/** @typedef {{number: number, running: boolean, html: string, steps: Steps | null, path: boolean}} Entry */
/** @typedef {{requests?: number, input_tokens?: number, output_tokens?: number, estimated?: number, cost_usd?: string | number | null, unknown?: number}} Spent */
/** @typedef {{id: string, name: string, title: string, model: string, approve: string, running: number | null,
 *   queued: string[], pages: number, spent: Spent, max_cost_usd: string | number | null, selection: any}} State */
/** @typedef {{scope: string, label: string}} Scope */
/** @typedef {{name: string, words: string, takes: string, choices: string[]}} Right */
/** @typedef {{path: string, before: string, after: string}} ProposedFile */
/** @typedef {{call: string, title: string, remark: string, why: string, html: string, shape: string, asks: boolean,
 *   scopes: Scope[], file: ProposedFile | null, rights: Right[], chosen: Record<string, string[]>, beyond: string[], likely: Record<string, string[]>, tries: boolean}} AskedCall */
/** @typedef {{id: number, calls: AskedCall[]}} Question */
/** @typedef {{call: string, outcome: string, scope?: string, reason?: string, content?: string, rights?: Record<string, string[]> | null}} Answer */
/** @typedef {{turn: number, place: number, html: string, later?: boolean}} Step */
/** @typedef {{turn: number, of: string, call: string, text: string}} Delta */
/** @typedef {{id: string, name: string, title: string, started: string, updated: string, events: number,
 *   running: boolean, asks: boolean, pages: number}} SessionLine */
/** @typedef {{name: string, title: string, help: string}} Choice */
/** @typedef {{version: string, token: string, root: string, models: string[], approve: string, modes: Choice[], exports: string[], proxy: any,
 *   voice: string, commands: {name: string, help: string}[]}} Hello */
/** @typedef {{session: string, room: string, n: number, missed?: any[], state?: State, turns?: Entry[],
 *   earlier?: number, question?: Question | null, live?: {of: string, call: string, text: string}[]}} Opened */
/** @typedef {{path: string, name: string, change: string, added: number | null, removed: number | null, look_at: string[], problem: string, ignored: boolean, diff: string[]}} ChangedFile */
/** @typedef {{id: string, began: string, files: ChangedFile[]}} Change */
/** @typedef {{path: string, action: string, note: string}} FileAction */
/** @typedef {{done: boolean, what: string[], files: FileAction[], conflicts: {path: string, text: string}[], notes: string[]}} Undone */

export {};
