import type { Clock } from '../../schemas/wire/clock.ts';

/** An API server goes on without an answer after three seconds, on the way there and back included. */
export const ANSWER_MS = 2_500;

/**
 * The result of a call, if it comes in time. The call goes on all the same.
 *
 * @param deadline by the monotonic clock, milliseconds
 */
export async function within<T>(clock: Clock, deadline: number, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, deadline - clock.monotonic()), () =>
      reject(new Error('the server did not answer in time')),
    );
    void call.then(resolve, reject).finally(cancel);
  });
}
