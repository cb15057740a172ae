import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ChildSource } from '../../semantics/protection/contents.ts';
import { resourceName } from '../../semantics/protection/resources.ts';
import { createReflector } from '../observe/reflector.ts';

/** A watch that is lost for longer shows nothing any more. */
const LOST_MS = 10_000;

/** What is watched of one protected object. */
export interface Children {
  /** Equal for equal sources. */
  readonly id: string;
  /**
   * The names of the resources of which something is there; `Unknown`: one of them cannot be listed; undefined: the first lists are
   * on their way.
   */
  present(): readonly string[] | 'Unknown' | undefined;
  stop(): void;
}

interface Watching {
  cluster: Cluster;
  clock: Clock;
  random: (() => number) | undefined;
  /** What is there, or whether that is known, may have changed. */
  onChange(): void;
  onError(plural: string, error: unknown): void;
}

/** Equal for equal sources. */
export function sourcesId(sources: readonly ChildSource[]): string {
  return JSON.stringify(sources.map(({ resource, namespace }) => [resource, namespace ?? null]));
}

/** Watches what is in a protected object. Of each that counts only its name is kept. */
export function watchChildren(sources: readonly ChildSource[], watching: Watching): Children {
  const { cluster, clock, random, onChange, onError } = watching;
  let stopped = false;
  const cancels = new Set<() => void>();

  function watchOne({ resource, namespace, counts }: ChildSource) {
    let lostAt: number | undefined;
    const reflector = createReflector({
      ...{ cluster, clock, resource },
      ...(namespace !== undefined && { namespace }),
      ...(random !== undefined && { random }),
      transform: (object) => (counts(object) ? nameOf(object) : undefined),
      onChange,
      onSync() {
        lostAt = undefined;
        onChange();
      },
      onError(error) {
        onError(resource.plural, error);
        if (lostAt !== undefined || stopped) return;
        lostAt = clock.monotonic();
        const cancel = clock.after(LOST_MS, () => {
          cancels.delete(cancel);
          if (!stopped) onChange();
        });
        cancels.add(cancel);
      },
    });
    return {
      name: resourceName(resource),
      reflector,
      isLost: (): boolean => lostAt !== undefined && clock.monotonic() - lostAt >= LOST_MS,
    };
  }

  const all = sources.map(watchOne);
  for (const { reflector } of all) reflector.start();
  return {
    id: sourcesId(sources),
    present() {
      if (all.some(({ isLost }) => isLost())) return 'Unknown';
      if (all.some(({ reflector }) => !reflector.synced)) return undefined;
      return all.flatMap(({ name, reflector }) =>
        reflector.values()[Symbol.iterator]().next().done === true ? [] : [name],
      );
    },
    stop() {
      stopped = true;
      for (const cancel of cancels) cancel();
      for (const { reflector } of all) reflector.stop();
    },
  };
}

function nameOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}
