/** A line: what was measured, how long it took, and what else of the same run it is to be held against. */
export type Print = (what: string, ms: number, baseline: { name: string; ms: number } | undefined) => void;
