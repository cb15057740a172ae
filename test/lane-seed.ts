/** Chooses what the samples of a run are drawn by, unless the environment names it, and says which. */
export function setup(): void {
  const seed = (process.env['KRUISE_TEST_SEED'] ??= String(Date.now() % 1_000_000));
  process.stdout.write(
    `Long lists are sampled: KRUISE_TEST_SEED=${seed} draws the same cases, npm run test:full plays all.\n`,
  );
}
