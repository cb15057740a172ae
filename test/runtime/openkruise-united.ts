import type { VirtualClock, World } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { childKindOf } from '../../semantics/uniteddeployment/child-kinds.ts';
import { normalizeUnited, type Subset } from '../../semantics/uniteddeployment/normalize.ts';
import { subsetTemplate } from '../../semantics/uniteddeployment/subset-template.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';

const ROOT_REVISION = 'apps.kruise.io/controller-revision-hash';
const SUBSET = 'apps.kruise.io/subset-name';

/** What OpenKruise leaves of a UnitedDeployment. */
export interface Left {
  /** Its manifest before and after the change that OpenKruise carries out. */
  before: KubeObject;
  after: KubeObject;
  /**
   * The children: the subset of each, the letters that the server has chosen, and how many pods have the change. One of Kubernetes has it
   * for all of its pods, or for none.
   */
  children: readonly { subset: string; letters: string; pods: number; updated: number }[];
}

/** Where it is left. */
export interface Site {
  world: World;
  user: Cluster;
  clock: VirtualClock;
}

/** Names of revisions of the root, as OpenKruise makes them. */
const [BEFORE, AFTER] = ['6b9d5c8f74', '79c5df48b6'].map(
  (hash) => (root: KubeObject) => `${root.metadata.name}-${hash}`,
) as [(root: KubeObject) => string, (root: KubeObject) => string];

/** A template of a child, as OpenKruise makes it: with the name of the revision of its root as a label, and defaults of its webhook. */
function templateIn(root: KubeObject, subset: Subset, revision: string): JsonObject {
  const template = subsetTemplate(normalizeUnited(root).template, subset);
  const { metadata, spec } = { metadata: objectOf(template['metadata']), spec: objectOf(template['spec']) };
  return {
    metadata: { labels: { ...objectOf(metadata['labels']), [ROOT_REVISION]: revision } },
    spec: {
      ...spec,
      containers: listOf(spec['containers']).map((each) => ({ imagePullPolicy: 'IfNotPresent', ...each })),
    },
  };
}

/** The strategy of a child that keeps so many pods on the template before. */
function updatesBut(partition: number): JsonObject {
  return { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } };
}

/**
 * Leaves what OpenKruise has made when it is stopped. Pods and revisions of CloneSets are made by the rules of CloneSets, and nothing is left
 * of the records of these.
 */
export async function storeOpenKruiseUnited(
  { world, user, clock }: Site,
  { before, after, children }: Left,
): Promise<void> {
  const { namespace = '', name: own } = before.metadata;
  const isBegun = JSON.stringify(before) !== JSON.stringify(after);
  const patch = async (resource: Resource, name: string, body: JsonObject): Promise<void> => {
    await user.patch(resource, { namespace, name }, { type: 'merge', body });
  };
  const manager = createRuntime({ cluster: world.cluster('kruise-manager'), clock, policy: 'Auto' });
  manager.start();
  const { subsets, selector, field, childSpec } = normalizeUnited(before);
  const { resource, steps } = childKindOf(field);
  const { group, version, kind } = resource;
  for (const { subset: at, letters, pods, updated } of children) {
    const subset = subsets.find(({ name }) => name === at);
    if (subset === undefined) throw new Error(`there is no subset ${at}`);
    const name = `${own}-${at}-${letters}`;
    const matchLabels = { ...selector.matchLabels, [SUBSET]: at };
    await user.create(resource, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: {
        ...{ name, namespace, labels: { ...matchLabels, [ROOT_REVISION]: BEFORE(before) } },
        annotations: { 'apps.kruise.io/subset-patch': '' },
      },
      spec: {
        ...childSpec,
        replicas: pods,
        selector: { matchLabels },
        template: templateIn(before, subset, BEFORE(before)),
        ...(steps === 'partly' && updatesBut(0)),
      },
    });
    await clock.advance(30_000);
    if (!isBegun || (steps === 'whole' && updated === 0)) continue;
    await patch(resource, name, {
      metadata: { labels: { [ROOT_REVISION]: AFTER(before) } },
      spec: {
        template: templateIn(after, subset, AFTER(before)),
        ...(steps === 'partly' && updatesBut(pods - updated)),
      },
    });
    await clock.advance(60_000);
  }
  await Promise.all([manager.stop(), clock.settle()]);
  const revisions = await user.list(resources.ControllerRevision, { namespace });
  for (const { metadata } of revisions.items) {
    const records = Object.keys(metadata.annotations ?? {}).filter((key) =>
      key.startsWith('plan.kruise.io/'),
    );
    const annotations = Object.fromEntries(records.map((key) => [key, null]));
    await patch(resources.ControllerRevision, metadata.name, { metadata: { annotations } });
  }
  const root = await user.create(resources.UnitedDeployment, after);
  const status = {
    replicas: 0,
    updatedReplicas: 0,
    currentRevision: BEFORE(root),
    updatedRevision: isBegun ? AFTER(root) : BEFORE(root),
  };
  const at = { namespace, name: own };
  await user.patch(
    resources.UnitedDeployment,
    at,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  const ownerReferences = [controllerReference(root)];
  const stored = isBegun
    ? ([
        [before, BEFORE],
        [after, AFTER],
      ] as const)
    : ([[before, BEFORE]] as const);
  for (const [index, [manifest, nameOf]] of stored.entries())
    await user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: nameOf(root), namespace, ownerReferences },
      data: {
        spec: { template: { ...objectOf(objectOf(manifest['spec'])['template']), $patch: 'replace' } },
      },
      revision: index + 1,
    });
  for (const { subset, letters } of children)
    await patch(resource, `${own}-${subset}-${letters}`, {
      metadata: { ownerReferences: ownerReferences as unknown as JsonObject[] },
    });
}
