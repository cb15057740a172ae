import { createHash } from 'node:crypto';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { EventDraft } from '../../semantics/decision.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';

/** A count is written this often. What another process has sent within this time is a reconcile that this one repeats. */
const COUNT_AGAIN_MS = 60_000;

/** How many Events are remembered for each client: as many as in client-go's Event correlator. */
const MOST_REMEMBERED = 4_096;

/** The greatest count that servers store. */
const MOST_COUNTED = 2 ** 31 - 1;

/** An Event that a client has sent. */
interface Sent {
  /** How often, with what is not written yet. */
  count: number;
  /** How often by what was last written. */
  written: number;
  /** When that was. */
  writtenAt: number;
  /** The version that it has led to. */
  version: string | undefined;
}

/** What clients have sent, by namespace and name, the latest last. */
const sent = new WeakMap<Cluster, Map<string, Sent>>();

/**
 * Sends Events about an object. The name is derived from the content. A repetition of what this client has sent is counted on the
 * same Event by one patch a minute; where another process has written it, by what the server says. An Event that cannot be sent is
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
  const last = all.get(key);
  const known = last && { ...last, count: last.count + 1 };
  if (known !== undefined && now < known.writtenAt + COUNT_AGAIN_MS) {
    remember(all, key, known);
    return;
  }
  try {
    const counted = known && (await count(cluster, object, known, now));
    remember(all, key, counted ?? (await create(cluster, object, now)));
  } catch (error) {
    // A request without an answer may have been carried out: what it has counted must not be counted again.
    all.delete(key);
    if (!(error instanceof ApiError)) throw error;
    // It exists already, or another process has counted it meanwhile.
    if (error.status.code !== 409) return;
    const found = await countAgain(cluster, object, known, now);
    if (found !== undefined) remember(all, key, found);
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

async function create(cluster: Cluster, object: KubeObject, now: number): Promise<Sent> {
  const { metadata } = await cluster.create(resources.Event, object);
  return { count: 1, written: 1, writtenAt: now, version: metadata.resourceVersion };
}

/** Writes the count of an Event, unless its version is another one. Undefined: the server has deleted it meanwhile. */
async function count(
  cluster: Cluster,
  { metadata }: KubeObject,
  { count: wanted, version }: Pick<Sent, 'count' | 'version'>,
  now: number,
): Promise<Sent | undefined> {
  const times = Math.min(wanted, MOST_COUNTED);
  const at = { namespace: metadata.namespace ?? '', name: metadata.name };
  const lastTimestamp = timestamp(now);
  const body: JsonObject = { count: times, lastTimestamp };
  if (version !== undefined) body['metadata'] = { resourceVersion: version };
  try {
    const written = await cluster.patch(resources.Event, at, { type: 'merge', body });
    return { count: times, written: times, writtenAt: now, version: written.metadata.resourceVersion };
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}

/**
 * Counts an Event that another process has written. Undefined: its count is not known.
 *
 * @param known what this client has sent; undefined: nothing, so that what it repeats at once is not counted
 */
async function countAgain(
  cluster: Cluster,
  object: KubeObject,
  known: Sent | undefined,
  now: number,
): Promise<Sent | undefined> {
  const { namespace = '', name } = object.metadata;
  try {
    const existing = await cluster.get(resources.Event, { namespace, name });
    const written = countIn(existing);
    const version = existing.metadata.resourceVersion;
    const isRecent = now < (Date.parse(String(existing['lastTimestamp'])) || 0) + COUNT_AGAIN_MS;
    const more = known === undefined ? Number(!isRecent) : known.count - known.written;
    const next = { count: written + more, version };
    return isRecent ? { ...next, written, writtenAt: now } : await count(cluster, object, next, now);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** A field of another writer: without a number it has been sent once. */
function countIn({ count: stored }: KubeObject): number {
  return typeof stored === 'number' && Number.isFinite(stored) ? Math.min(stored, MOST_COUNTED) : 1;
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
