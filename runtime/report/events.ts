import { createHash } from 'node:crypto';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { EventDraft } from '../../semantics/decision.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';

/** The same Event within this time comes from a reconcile repeated after a crash or a refusal, and is not counted. */
const COUNT_AGAIN_MS = 60_000;

/** How many Events are remembered for each client: as many as in client-go's Event correlator. */
const MOST_REMEMBERED = 4_096;

/** The counts of Events that a client has sent, by namespace and name, the latest last. */
const sent = new WeakMap<Cluster, Map<string, number>>();

/**
 * Sends Events about an object. The name is derived from the content. A repetition of what this client has sent is counted on the
 * same Event by one patch, as client-go does; one of another process by what the server says. An Event that cannot be sent is
 * dropped: nothing depends on Events.
 */
export async function sendEvents(
  cluster: Cluster,
  about: KubeObject,
  events: readonly EventDraft[],
  now: number,
): Promise<void> {
  for (const event of events) await send(cluster, eventObject(about, event, now), now);
}

async function send(cluster: Cluster, object: KubeObject, now: number): Promise<void> {
  const counts = countsOf(cluster);
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  const count = counts.get(key);
  try {
    const known =
      count !== undefined && (await counted(cluster, object, count + 1, now)) ? count + 1 : undefined;
    if (known === undefined) await cluster.create(resources.Event, object);
    remember(counts, key, known ?? 1);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status.reason === 'AlreadyExists')
      remember(counts, key, await countAgain(cluster, object, now));
  }
}

function countsOf(cluster: Cluster): Map<string, number> {
  const counts = sent.get(cluster) ?? new Map<string, number>();
  sent.set(cluster, counts);
  return counts;
}

function remember(counts: Map<string, number>, key: string, count: number | undefined): void {
  counts.delete(key);
  if (count === undefined) return;
  counts.set(key, count);
  const [oldest] = counts.keys();
  if (counts.size > MOST_REMEMBERED && oldest !== undefined) counts.delete(oldest);
}

/** Writes the count of an Event. False: the server has deleted it meanwhile. */
async function counted(
  cluster: Cluster,
  { metadata }: KubeObject,
  count: number,
  now: number,
): Promise<boolean> {
  const at = { namespace: metadata.namespace ?? '', name: metadata.name };
  try {
    await cluster.patch(resources.Event, at, {
      type: 'merge',
      body: { count, lastTimestamp: timestamp(now) },
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return false;
    throw error;
  }
}

/** Counts an Event that another process has sent. Returns its count; undefined: it is not known. */
async function countAgain(cluster: Cluster, object: KubeObject, now: number): Promise<number | undefined> {
  const { namespace = '', name } = object.metadata;
  try {
    const existing = await cluster.get(resources.Event, { namespace, name });
    const count = Number(existing['count'] ?? 1);
    if (now < (Date.parse(String(existing['lastTimestamp'])) || 0) + COUNT_AGAIN_MS) return count;
    return (await counted(cluster, object, count + 1, now)) ? count + 1 : undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
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
