import type { Clock } from '../schemas/wire/clock.ts';
import type { Action } from '../semantics/decision.ts';

/** How often the server is asked again while containers cannot be resized. */
const REPEAT_MS = 5 * 60_000;
/** How long an answer is good for when the server refuses a resize: it also refuses those beyond a quota. */
const ANSWERED_MS = 30_000;

/** Whether running containers can be resized in place: the server serves `pods/resize`, and the runtime may patch it. */
export interface ResizeRight {
  readonly granted: boolean;
  /** Takes an answer of the server. */
  found(granted: boolean): void;
  /** The server has refused a write: where it is a resize, the server is asked again. */
  refused(action: Action, reason: string): void;
  stop(): void;
}

/**
 * @param ask asks the server; undefined: it gives no answer, and the one before holds
 * @param onChange called when an answer differs from the one before, but for the first
 */
export function createResizeRight(
  clock: Clock,
  ask: () => Promise<boolean | undefined>,
  onChange: (granted: boolean) => void,
): ResizeRight {
  let granted = false;
  let askedAt = -Infinity;
  let cancel = (): void => {};
  let stopped = false;

  function schedule(): void {
    cancel();
    if (!stopped && !granted) cancel = clock.after(REPEAT_MS, () => void askAgain());
  }

  async function askAgain(): Promise<void> {
    askedAt = clock.monotonic();
    const answer = await ask().catch(() => undefined);
    if (stopped) return;
    const isNew = answer !== undefined && answer !== granted;
    if (isNew) granted = answer;
    schedule();
    if (isNew) onChange(granted);
  }

  return {
    get granted() {
      return granted;
    },
    found(answer) {
      granted = answer;
      askedAt = clock.monotonic();
      schedule();
    },
    refused(action, reason) {
      if (stopped || !granted || reason !== 'Forbidden') return;
      if (action.do !== 'patch' || action.subresource !== 'resize') return;
      if (clock.monotonic() - askedAt >= ANSWERED_MS) void askAgain();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
