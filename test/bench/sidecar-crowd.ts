import { createVirtualClock, createWorld, type State } from 'kruise-sandbox';
import { parse } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { injectSidecars } from '../../semantics/sidecarset/inject.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { web } from '../stories/manifests.ts';

const REPLICA_SETS: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

/** A set with one sidecar for the pods of one ReplicaSet. `index` of the set, the first one is 0. */
export function benchSet(
  index: number,
  parts: { owners: number; image: string; maxUnavailable?: number },
): KubeObject {
  const name = `set-${index}`;
  const { owners, image, maxUnavailable = 200 } = parts;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: `web-${index % owners}` } },
      containers: [
        { name: `sidecar-${index}`, image, volumeMounts: [{ name: `log-${index}`, mountPath: '/log' }] },
      ],
      volumes: [{ name: `log-${index}`, emptyDir: {} }],
      updateStrategy: { type: 'RollingUpdate', maxUnavailable },
    },
  };
}

/**
 * How a cluster ends up where sets were injected into so many ready pods, `each` of them of one ReplicaSet. The sets are shared
 * out among the ReplicaSets in turn.
 */
export async function sidecarCrowd(pods: number, each: number, sets: number): Promise<State> {
  const clock = createVirtualClock(Date.now() - 3_600_000);
  const namespaces = ['default', 'shop', 'kruise-system'];
  const world = createWorld({ clock, nodes: Math.ceil(pods / 100), namespaces, logSize: 10 });
  const cluster = world.cluster('bench');
  const owners = pods / each;
  const stored: KubeObject[] = [];
  for (let index = 0; index < sets; index += 1)
    stored.push(await cluster.create(sidecarSets, benchSet(index, { owners, image: 'proxy:1' })));
  for (let index = 0; index < owners; index += 1) {
    const owner = await cluster.create(REPLICA_SETS, replicaSet(`web-${index}`, each));
    for (let made = 0; made < each; made += 1)
      await cluster.create(
        resources.Pod,
        injected(podOf(owner, `${owner.metadata.name}-${made}`), stored, clock.now()),
      );
    await clock.advance(60_000);
  }
  const made = (await cluster.list(resources.Pod, { namespace: 'shop' })).items as Pod[];
  const ready = made.filter(isReady).length;
  if (ready !== pods) throw new Error(`only ${ready} of ${pods} pods are ready`);
  const state = world.state();
  world.stop();
  return state;
}

function replicaSet(name: string, replicas: number): KubeObject {
  const { spec } = parse(web({ name, image: 'nginx:1.25', env: '"info"' })) as { spec: JsonObject };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'shop' },
    spec: { replicas, selector: spec['selector'] ?? {}, template: spec['template'] ?? {} },
  };
}

function podOf({ metadata, spec }: KubeObject, name: string): KubeObject {
  const template = objectOf(objectOf(spec)['template']);
  const { name: owner, namespace = '', uid = '' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...objectOf(template['metadata']),
      name,
      namespace,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid, controller: true }],
    },
    spec: template['spec'] ?? {},
  };
}

function injected(pod: KubeObject, sets: readonly KubeObject[], now: number): KubeObject {
  const result = injectSidecars({
    pod,
    namespace: { name: 'shop', labels: {} },
    sets,
    revisions: [],
    published: new Map(),
    requestId: pod.metadata.name,
    now,
    sortsContainers: false,
  });
  if ('refused' in result) throw new Error(result.refused);
  return result.pod;
}
