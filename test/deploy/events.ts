import type { VirtualClock } from 'kruise-sandbox';
import { sendEvents } from '../../runtime/report/events.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const about = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name: 'told', namespace: 'shop' },
};

/** Two processes send the same Event, a minute apart. Returns whether it is one, counted twice. */
export async function runEvents(admin: Cluster, clock: VirtualClock, cluster: Cluster): Promise<boolean> {
  const told = { type: 'Warning', reason: 'FailedCreate', message: 'no quota is left' } as const;
  // What a process has sent is known to its own client alone.
  for (const client of [{ ...cluster }, { ...cluster }]) {
    await sendEvents(client, about, [told], clock.now());
    await clock.advance(60_000);
  }
  const { items } = await admin.list(resources.Event, { namespace: 'shop' });
  const counts = items.flatMap((each) => (each['message'] === told.message ? [each['count']] : []));
  return counts.join() === '2';
}
