import { ApiError } from '../../schemas/wire/cluster.ts';

/**
 * Runs a write of a component. It races with everybody else's: being refused, because it comes too late, is no failure
 * but answered with false. Any other error is thrown on.
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
