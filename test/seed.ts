/** What the samples and properties of a run are drawn by; `lane-seed.ts` chooses one for a run and prints it. */
export const seed = Number(process.env['KRUISE_TEST_SEED'] ?? 0);
