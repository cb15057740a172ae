import { ApiError } from '../../schemas/wire/cluster.ts';

/**
 * Runs a write of a controller. Conflicts with other writers are expected: an ApiError makes it return false. Any
 * other error is rethrown.
 */
export function attempt(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
