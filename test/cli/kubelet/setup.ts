import { createReflector } from '../../../runtime/observe/reflector.ts';
import { behaviorByTag, createIdSource } from 'kruise-sandbox';
import { createRemoteNodes, type RemoteNodes, type RemoteNodesOptions } from 'kruise-sandbox/remote';
import type { Clock } from '../../../schemas/wire/clock.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { randomOf } from '../../random.ts';

export interface RemoteNodesFixture extends RemoteNodes {
  /** Failed and rejected writes. */
  readonly errors: string[];
}

export interface RemoteNodesFixtureOptions extends Partial<RemoteNodesOptions> {
  nodes?: number;
  prefix?: string;
  /** Each has its own container ids. */
  seed?: number;
}

/** Nodes `outside-1`, … on the server behind `cluster`. */
export function remoteNodes(
  cluster: Cluster,
  clock: Clock,
  options: RemoteNodesFixtureOptions = {},
): RemoteNodesFixture {
  const { nodes = 2, prefix = 'outside', seed = 7, ...others } = options;
  const errors: string[] = [];
  const tell = (about: string, error: unknown): void => {
    errors.push(`${about}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const ids = createIdSource(seed);
  const made = createRemoteNodes({
    cluster,
    clock,
    random: randomOf(seed),
    newUid: () => ids.uid(),
    names: Array.from({ length: nodes }, (_, index) => `${prefix}-${index + 1}`),
    images: behaviorByTag,
    schedules: true,
    events: true,
    onError: tell,
    follow(resource, { onChange, onSync }) {
      const onError = (error: unknown): void => tell(resource.plural, error);
      const reflector = createReflector({ cluster, clock, resource, onChange, onSync, onError });
      reflector.start();
      return () => reflector.stop();
    },
    ...others,
  });
  return { ...made, errors };
}

/** A cluster that counts writes: `patch pods/status web`, `delete pods web`, … */
export function counting(cluster: Cluster): { cluster: Cluster; writes: string[] } {
  const writes: string[] = [];
  const note = (verb: string, plural: string, name: string, subresource?: string): void => {
    writes.push(`${verb} ${plural}${subresource === undefined ? '' : `/${subresource}`} ${name}`);
  };
  return {
    writes,
    cluster: {
      ...cluster,
      create(resource, body, options) {
        note('create', resource.plural, body.metadata.name, options?.subresource);
        return cluster.create(resource, body, options);
      },
      patch(resource, at, patch, options) {
        note('patch', resource.plural, at.name, options?.subresource);
        return cluster.patch(resource, at, patch, options);
      },
      delete(resource, at, options) {
        note('delete', resource.plural, at.name);
        return cluster.delete(resource, at, options);
      },
    },
  };
}
