import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resourceId } from './ids.ts';
import { createOnDemand, type OnDemand } from './on-demand.ts';
import { createReflector, type Reflector, type ReflectorOptions } from './reflector.ts';
import type { Retention } from './retention.ts';

type Keep = (object: KubeObject) => KubeObject | undefined;
type OnChange = ReflectorOptions['onChange'];

/** What of a resource is watched, and by whom it is kept. */
export interface Part extends Pick<ReflectorOptions, 'namespace' | 'labelSelector' | 'name'> {
  transform: Keep;
  onChange: OnChange;
}

/** The reflectors of a process: one a resource of a group, however many need it. */
export interface Sources {
  /** A resource without which nothing is decided. */
  always(resource: Resource, transform: Keep, onChange: OnChange): Reflector;
  /** One that is watched from the first question on. `onKnown`: it is known, or cannot be seen. */
  onDemand(resource: Resource, part: Part, onKnown: () => void): OnDemand;
  /** All without which nothing is decided is known. */
  readonly synced: boolean;
  /** Since when all of that has been watched without a gap, milliseconds since 1970. */
  readonly inSyncSince: number;
  /** What is watched of a resource now: all of it rather than a part. */
  of(resource: Resource): Reflector | undefined;
  /** Whether nothing is decided without this resource. */
  isAlways(resource: Resource): boolean;
  all(): Iterable<readonly [Resource, Reflector]>;
  start(): void;
  stop(): void;
}

export interface SourcesOptions {
  cluster: Cluster;
  clock: Clock;
  retention: Pick<Retention, 'oversized' | 'release' | 'settle'>;
  random?: () => number;
  /** A resource could not be listed or watched, which is tried again. */
  onError?: (plural: string, error: unknown) => void;
  /** A resource without which nothing is decided is known, or known again. */
  onSync(): void;
  /** Any resource, by its plural, was listed: it is watched for the first time, or again. */
  onWatched?: (plural: string) => void;
}

export function createSources(options: SourcesOptions): Sources {
  const { cluster, clock, retention, random } = options;
  const required = new Map<string, readonly [Resource, Reflector]>();
  const demanded: (readonly [Resource, OnDemand])[] = [];
  let isStarted = false;

  function reflect(
    resource: Resource,
    part: Part,
    sinks: Pick<ReflectorOptions, 'onSync' | 'onError'>,
  ): Reflector {
    return createReflector({
      ...part,
      ...sinks,
      cluster,
      clock,
      resource,
      ...(random === undefined ? {} : { random }),
      onSync() {
        options.onWatched?.(resource.plural);
        sinks.onSync();
      },
      isStub: (object) => retention.oversized(object) !== undefined,
      onChange(object, gone, before) {
        if (gone) retention.release(object);
        part.onChange(object, gone, before);
      },
      // A list of one object says nothing of the others.
      ...(part.name === undefined && {
        onListed: (has: (key: string) => boolean) => retention.settle(resource, has),
      }),
    });
  }

  const onError =
    ({ plural }: Resource) =>
    (error: unknown): void =>
      options.onError?.(plural, error);

  function* demandedNow(): Generator<readonly [Resource, Reflector]> {
    for (const [resource, { reflector }] of demanded)
      if (reflector !== undefined) yield [resource, reflector];
  }

  return {
    always(resource, transform, onChange) {
      const sinks = { onSync: options.onSync, onError: onError(resource) };
      const reflector = reflect(resource, { transform, onChange }, sinks);
      required.set(resourceId(resource), [resource, reflector]);
      if (isStarted) reflector.start();
      return reflector;
    },
    onDemand(resource, part, onKnown) {
      const demand = createOnDemand((sinks) => reflect(resource, part, sinks), onError(resource), onKnown);
      demanded.push([resource, demand]);
      return demand;
    },
    get synced() {
      return [...required.values()].every(([, { synced }]) => synced);
    },
    get inSyncSince() {
      return Math.max(...[...required.values()].map(([, { syncedSince }]) => syncedSince));
    },
    of(resource) {
      const id = resourceId(resource);
      return required.get(id)?.[1] ?? [...demandedNow()].find(([each]) => resourceId(each) === id)?.[1];
    },
    isAlways: (resource) => required.has(resourceId(resource)),
    *all() {
      yield* required.values();
      yield* demandedNow();
    },
    start() {
      isStarted = true;
      for (const [, reflector] of required.values()) reflector.start();
    },
    stop() {
      isStarted = false;
      for (const [, reflector] of required.values()) reflector.stop();
      for (const [, reflector] of demandedNow()) reflector.stop();
    },
  };
}
