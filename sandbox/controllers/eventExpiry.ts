import { fieldAt } from '../../schemas/pods/fields.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ControllerContext } from './context.ts';

const lifetimeMs = 3_600_000;
const intervalMs = 60_000;

/** When an Event last occurred, milliseconds since 1970. */
function lastSeenAt(event: KubeObject): number {
  const times = [
    fieldAt(event, ['series', 'lastObservedTime']),
    event['lastTimestamp'],
    event['eventTime'],
    event.metadata.creationTimestamp,
  ].map((time) => (typeof time === 'string' ? Date.parse(time) : Number.NaN));
  return Math.max(...times.filter((time) => !Number.isNaN(time)));
}

/** Deletes Events one hour after their last occurrence, like the API server's TTL. */
export function startEventExpiry({ store, clock }: Pick<ControllerContext, 'store' | 'clock'>): () => void {
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    clock.after(intervalMs, () => {
      planned = false;
      const events = store.list('events');
      const old = events.filter((event) => lastSeenAt(event) + lifetimeMs <= clock.now());
      for (const object of old) store.remove({ user: 'system:apiserver', resource: 'events', object });
      if (old.length < events.length) plan();
    });
  }

  return store.follow('events', ({ type }) => {
    if (type !== 'DELETED') plan();
  });
}
