import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isRetriable, type Outbox } from './outbox.ts';

/** Sends Events to the remote server. Events have the lowest priority: above the queue limits they are dropped. */
export interface EventSender {
  create(event: KubeObject): KubeObject;
  /** Updates the count of an Event: `body` is a merge patch of top-level fields. */
  count(at: { namespace?: string; name: string }, body: JsonObject): KubeObject;
}

interface Letter {
  event: KubeObject;
  posted: boolean;
}

/** Limit for queued Events. */
const MOST_WAITING = 5_000;
/** Limit for Events whose count can be updated. */
const REMEMBERED = 4_096;

/** `versionOf`: the remote resourceVersion of the involved object. */
export function createEventSender(
  cluster: Cluster,
  outbox: Outbox,
  versionOf: (uid: string) => string | undefined,
): EventSender {
  const letters = new Map<string, Letter>();

  function withVersion(event: KubeObject): KubeObject {
    const about = event['involvedObject'] as { uid?: string; resourceVersion?: string } | undefined;
    const resourceVersion = versionOf(about?.uid ?? '');
    if (resourceVersion === undefined || about?.resourceVersion === undefined) return event;
    return { ...event, involvedObject: { ...about, resourceVersion } };
  }

  async function send(key: string): Promise<void> {
    const letter = letters.get(key);
    if (letter === undefined) return;
    const { event } = letter;
    const { name, namespace = '' } = event.metadata;
    const { count, lastTimestamp, series } = event as {
      count?: number;
      lastTimestamp?: string;
      series?: object;
    };
    try {
      if (letter.posted) {
        const body = { ...(series === undefined ? { count, lastTimestamp } : { series }) } as JsonObject;
        try {
          await cluster.patch(resources.Event, { namespace, name }, { type: 'merge', body });
          return;
        } catch (error) {
          // The Event expired: create it again.
          if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
        }
      }
      await cluster.create(resources.Event, event);
      letter.posted = true;
    } catch (error) {
      if (isRetriable(error)) throw error;
      letters.delete(key);
    }
  }

  function post(key: string): void {
    outbox.enqueue(key, async () => send(key));
  }

  function remember(key: string, letter: Letter): void {
    letters.set(key, letter);
    if (letters.size <= REMEMBERED) return;
    const [oldest] = letters.keys();
    if (oldest !== undefined) letters.delete(oldest);
  }

  function keyOf({ namespace = '', name }: { namespace?: string; name: string }): string {
    return `event ${namespace}/${name}`;
  }

  return {
    create(event) {
      const key = keyOf(event.metadata);
      if (outbox.size < MOST_WAITING) {
        remember(key, { event: withVersion(event), posted: false });
        post(key);
      }
      return event;
    },
    count(at, body) {
      const key = keyOf(at);
      const letter = letters.get(key);
      if (letter === undefined)
        throw new ApiError({ code: 404, reason: 'NotFound', message: `events "${at.name}" not found` });
      letter.event = { ...letter.event, ...body };
      if (outbox.size < MOST_WAITING) post(key);
      return letter.event;
    },
  };
}
