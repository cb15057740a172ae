/** Prints a line: what was measured, how long it took, and the baseline of the same run. */
export type Print = (what: string, ms: number, baseline: { name: string; ms: number } | undefined) => void;
