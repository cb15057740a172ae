import { ApiError } from '../../schemas/wire/cluster.ts';
import { Waiting } from '../webhooks/answers.ts';

/**
 * Runs a write of a controller. Conflicts with other writers are expected: an ApiError makes it return false. Any
 * other error is rethrown. A write that waits for webhooks is tried again once they have answered.
 */
export function attempt(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof Waiting) void error.answered.then(() => attempt(run));
    else if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
