import type { Cluster, WatchEvent } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StageOptions } from '../runtime/stage.ts';

/** The namespace of an attacking tenant, and that of the attacked one. */
export const EVIL = 'evil';
export const VICTIM = 'shop';

export const twoTenants: NonNullable<StageOptions['world']> = { namespaces: ['default', EVIL, VICTIM] };

/** The cluster as it would be if objects of a kind had been stored before the definitions refused them. */
export function withStored(
  cluster: Cluster,
  kind: string,
  stored: (object: KubeObject) => KubeObject,
): Cluster {
  const observed = (object: KubeObject): KubeObject => (object.kind === kind ? stored(object) : object);
  return {
    ...cluster,
    async list(resource, options) {
      const list = await cluster.list(resource, options);
      return { ...list, items: list.items.map(observed) };
    },
    watch: (resource, options, sink) =>
      cluster.watch(resource, options, {
        ...sink,
        onEvent: (event: WatchEvent) =>
          sink.onEvent('object' in event ? { ...event, object: observed(event.object) } : event),
      }),
  };
}
