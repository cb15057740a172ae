import { createHash } from 'node:crypto';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { EventDraft } from '../../semantics/decision.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';

/** The same Event within this time comes from a reconcile repeated after a crash or a refusal, and is not counted. */
const COUNT_AGAIN_MS = 60_000;

/**
 * Sends Events about an object. The name is derived from the content, so a repetition is counted on the same Event. An
 * Event that cannot be sent is dropped: nothing depends on Events.
 */
export async function sendEvents(
  cluster: Cluster,
  about: KubeObject,
  events: readonly EventDraft[],
  now: number,
): Promise<void> {
  for (const event of events) {
    const object = eventObject(about, event, now);
    try {
      await cluster.create(resources.Event, object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status.reason === 'AlreadyExists') await countAgain(cluster, object, now);
    }
  }
}

async function countAgain(cluster: Cluster, { metadata }: KubeObject, now: number): Promise<void> {
  const at = { namespace: metadata.namespace ?? '', name: metadata.name };
  try {
    const existing = await cluster.get(resources.Event, at);
    if (now < (Date.parse(String(existing['lastTimestamp'])) || 0) + COUNT_AGAIN_MS) return;
    const body = { count: Number(existing['count'] ?? 1) + 1, lastTimestamp: timestamp(now) };
    await cluster.patch(resources.Event, at, { type: 'merge', body });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function eventObject(about: KubeObject, event: EventDraft, now: number): KubeObject {
  const { name, namespace, uid, resourceVersion } = about.metadata;
  const id = createHash('sha256')
    .update(JSON.stringify([uid, event]))
    .digest('hex')
    .slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${id}`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid, resourceVersion },
    type: event.type,
    reason: event.reason,
    message: event.message,
    source: { component: 'kruise' },
    count: 1,
    firstTimestamp: timestamp(now),
    lastTimestamp: timestamp(now),
  };
}
