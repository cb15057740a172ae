import type { DeleteAction } from '../decision.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { countText } from '../values/text.ts';
import type { Child } from './child.ts';
import { deleteChild } from './new-child.ts';
import type { NormalCronJob } from './normalize.ts';

/**
 * The deletion of finished children beyond the history limits, oldest first (OpenKruise advancedcronjob, rule 6.1 step 3): those
 * that have not started come first, and of equal ones the lower name.
 */
export function cleanUp(
  children: readonly Child[],
  { history }: Pick<NormalCronJob, 'history'>,
): DeleteAction[] {
  return (['failed', 'succeeded'] as const).flatMap((state) => {
    const finished = children
      .filter((child) => child.state === state && !child.isLeaving)
      .sort(
        (a, b) =>
          compareCodePoints(a.startTime, b.startTime) ||
          compareCodePoints(a.object.metadata.name, b.object.metadata.name),
      );
    const surplus = Math.max(finished.length - history[state], 0);
    const reason = `${countText(history[state], 'child', 'children')} that ${state} are retained`;
    return finished.slice(0, surplus).map((child) => deleteChild(child, reason));
  });
}
