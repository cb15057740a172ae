import type { Delivery } from '../../../runtime/notify/payload.ts';
import { targetKey } from '../../../runtime/observe/target-key.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

const group = 'apps.kruise.io';

export const START = Date.UTC(2026, 0, 1);

/** A notice about a CloneSet that waits for its first approval. */
export function deliveryAbout(name: string, rest: Partial<Delivery> = {}): Delivery {
  return {
    event: 'AwaitingApproval',
    plan: { digest: 'h1:a', step: 'look' },
    mark: 'AwaitingApproval 1',
    reason: undefined,
    message: 'waits for approval',
    key: targetKey({ group, kind: 'CloneSet' }, 'shop', name),
    uid: `uid-${name}`,
    since: timestamp(START),
    occurrence: timestamp(START),
    ...rest,
  };
}
