/** Runs a function, and returns its error instead of throwing it. */
export async function attempt(run: () => Promise<unknown>): Promise<{ error: unknown } | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return { error };
  }
}
