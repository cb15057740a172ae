import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import type { ComponentWrites, EventSource, RecordEvent } from './context.ts';

/** Rate limit per object: this burst, then one Event every five minutes. */
const burst = 25;
const refillMs = 300_000;
const remembered = 4096;

interface Known {
  name: string;
  count: number;
}

/** A bounded map that evicts its oldest entries. */
function createMemory<T>(): { get(key: string): T | undefined; set(key: string, value: T): void } {
  const entries = new Map<string, T>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= remembered) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}

const silent: RecordEvent = () => {};

function micro(now: number): string {
  return `${new Date(now).toISOString().slice(0, -1)}000Z`;
}

/**
 * The event recorders of kubelets and controllers. Equal Events about an object are counted in one Event; Events
 * above the rate limit and Events that cannot be written are dropped. With `enabled` false nothing is recorded.
 * `first` (below a million) keeps the names of two sources distinct.
 */
export function createEventSource(
  server: Pick<ComponentWrites, 'create' | 'patch'>,
  clock: Clock,
  enabled: boolean,
  first = 0,
): EventSource {
  const known = createMemory<Known>();
  const allowances = createMemory<{ tokens: number; at: number }>();
  let sequence = first;

  function isWithinLimit(key: string): boolean {
    const now = clock.now();
    const last = allowances.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, last.tokens + (now - last.at) / refillMs);
    allowances.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }

  /** Names end with sixteen unique hexadecimal digits: nanoseconds plus a counter. */
  function newName(about: KubeObject): string {
    sequence = (sequence + 1) % 1_000_000;
    const stamp = BigInt(clock.now()) * 1_000_000n + BigInt(sequence);
    return `${about.metadata.name}.${stamp.toString(16).padStart(16, '0')}`;
  }

  function involved({ apiVersion, kind, metadata }: KubeObject, fieldPath: string | undefined) {
    const { namespace, name, uid, resourceVersion } = metadata;
    return {
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      // Events about nodes use the node name as uid.
      uid: kind === 'Node' ? name : uid,
      apiVersion,
      ...(kind === 'Node' ? {} : { resourceVersion }),
      ...(fieldPath === undefined ? {} : { fieldPath }),
    };
  }

  function write(
    user: string,
    key: string,
    about: KubeObject,
    fresh: object,
    again: (count: number) => object,
  ) {
    const namespace = about.metadata.namespace ?? 'default';
    const old = known.get(key);
    try {
      if (old !== undefined) {
        const count = old.count + 1;
        server.patch(
          user,
          resources.Event,
          { namespace, name: old.name },
          { type: 'merge', body: JSON.parse(JSON.stringify(again(count))) },
        );
        known.set(key, { name: old.name, count });
        return;
      }
    } catch (error) {
      // The Event expired or was deleted: create it again.
      if (!(error instanceof ApiError) || error.status.code !== 404) return;
    }
    const name = newName(about);
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name, namespace }, ...fresh };
    attempt(() => {
      server.create(user, resources.Event, event);
      known.set(key, { name, count: 1 });
    });
  }

  /** Asynchronous, because recorders can be called from within a commit. */
  function later(...recorded: Parameters<typeof write>): void {
    clock.after(0, () => write(...recorded));
  }

  return {
    recorder(user, component, host) {
      if (!enabled) return silent;
      const source = { component, ...(host === undefined ? {} : { host }) };
      return (about, type, reason, message, fieldPath) => {
        if (!isWithinLimit(`${component} ${host} ${about.metadata.uid}`)) return;
        const at = timestamp(clock.now());
        later(
          user,
          JSON.stringify([component, host, about.metadata.uid, fieldPath, type, reason, message]),
          about,
          {
            involvedObject: involved(about, fieldPath),
            reason,
            message,
            source,
            firstTimestamp: at,
            lastTimestamp: at,
            count: 1,
            type,
            eventTime: null,
            reportingComponent: component,
            reportingInstance: host ?? '',
          },
          (count) => ({ count, lastTimestamp: at }),
        );
      };
    },
    seriesRecorder(user, component, action) {
      if (!enabled) return silent;
      return (about, type, reason, message) => {
        const at = micro(clock.now());
        later(
          user,
          JSON.stringify([component, about.metadata.uid, type, reason, action]),
          about,
          {
            involvedObject: involved(about, undefined),
            reason,
            message,
            source: {},
            firstTimestamp: null,
            lastTimestamp: null,
            type,
            eventTime: at,
            action,
            reportingComponent: component,
            reportingInstance: `${component}-0`,
          },
          (count) => ({ series: { count, lastObservedTime: at } }),
        );
      };
    },
  };
}
