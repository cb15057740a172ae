import { createHash } from 'node:crypto';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { EventDraft } from '../../semantics/decision.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';

/** A count is written this often. The same Event of another process within this time comes from a reconcile repeated after a crash. */
const COUNT_AGAIN_MS = 60_000;

/** How many Events are remembered for each client: as many as in client-go's Event correlator. */
const MOST_REMEMBERED = 4_096;

/** An Event that a client has sent. */
interface Sent {
  /** How often, with what is not written yet. */
  count: number;
  /** When the count was last written. */
  writtenAt: number;
}

/** What clients have sent, by namespace and name, the latest last. */
const sent = new WeakMap<Cluster, Map<string, Sent>>();

/**
 * Sends Events about an object. The name is derived from the content. A repetition of what this client has sent is counted on the
 * same Event by one patch a minute; one of another process by what the server says. An Event that cannot be sent is
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
  const all = sentBy(cluster);
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  const known = all.get(key);
  const count = (known?.count ?? 0) + 1;
  if (known !== undefined && now < known.writtenAt + COUNT_AGAIN_MS) {
    remember(all, key, { ...known, count });
    return;
  }
  try {
    const isCounted = known !== undefined && (await counted(cluster, object, count, now));
    if (!isCounted) await cluster.create(resources.Event, object);
    remember(all, key, { count: isCounted ? count : 1, writtenAt: now });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status.reason !== 'AlreadyExists') return;
    const found = await countAgain(cluster, object, now);
    if (found === undefined) all.delete(key);
    else remember(all, key, { count: found, writtenAt: now });
  }
}

function sentBy(cluster: Cluster): Map<string, Sent> {
  const all = sent.get(cluster) ?? new Map<string, Sent>();
  sent.set(cluster, all);
  return all;
}

function remember(all: Map<string, Sent>, key: string, last: Sent): void {
  all.delete(key);
  all.set(key, last);
  const [oldest] = all.keys();
  if (all.size > MOST_REMEMBERED && oldest !== undefined) all.delete(oldest);
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
