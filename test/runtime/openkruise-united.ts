import type { VirtualClock, World } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { childKindOf } from '../../semantics/uniteddeployment/child-kinds.ts';
import { type NormalUnited as Normal, normalizeUnited } from '../../semantics/uniteddeployment/normalize.ts';
import { subsetTemplate } from '../../semantics/uniteddeployment/subset-template.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';

const ROOT_REVISION = 'apps.kruise.io/controller-revision-hash';
const SUBSET = 'apps.kruise.io/subset-name';

/**
 * A child: its subset, the letters that the server has chosen, and how many pods have the change. One of Kubernetes has it for all of its
 * pods, or for none.
 */
export interface LeftChild {
  subset: string;
  letters: string;
  pods: number;
  updated: number;
}

/** What OpenKruise leaves of a UnitedDeployment. */
export interface Left {
  /** Its manifest before and after the change that OpenKruise carries out. */
  before: KubeObject;
  after: KubeObject;
  children: readonly LeftChild[];
}

/** Where it is left. */
export interface Site {
  world: World;
  user: Cluster;
  clock: VirtualClock;
}

const HASHES = { before: '6b9d5c8f74', after: '79c5df48b6' };

type State = keyof typeof HASHES;

/** The name of a revision of the root, as OpenKruise makes it. */
function revisionName({ metadata }: KubeObject, state: State): string {
  return `${metadata.name}-${HASHES[state]}`;
}

/** A template of a child, as OpenKruise makes it: with the name of the revision of its root as a label, and defaults of its webhook. */
function templateIn(root: KubeObject, at: string, revision: string): JsonObject {
  const normal = normalizeUnited(root);
  const subset = normal.subsets.find(({ name }) => name === at);
  if (subset === undefined) throw new Error(`there is no subset ${at}`);
  const template = subsetTemplate(normal.template, subset);
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
function updatesBut({ field, childSpec }: Normal, partition: number): JsonObject {
  if (childKindOf(field).steps === 'whole') return {};
  const { rollingUpdate, ...strategy } = objectOf(childSpec['updateStrategy']);
  const updateStrategy = { type: 'RollingUpdate', ...strategy };
  return { updateStrategy: { ...updateStrategy, rollingUpdate: { ...objectOf(rollingUpdate), partition } } };
}

/** A child before the change, which nothing controls yet. */
export function openKruiseChild(
  root: KubeObject,
  { subset, letters, pods }: Pick<LeftChild, 'subset' | 'letters' | 'pods'>,
): KubeObject {
  const normal = normalizeUnited(root);
  const { selector, field, childSpec } = normal;
  const { group, version, kind } = childKindOf(field).resource;
  const matchLabels = { ...selector.matchLabels, [SUBSET]: subset };
  const { name: own, namespace } = root.metadata;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: {
      name: `${own}-${subset}-${letters}`,
      ...(namespace !== undefined && { namespace }),
      labels: { ...matchLabels, [ROOT_REVISION]: revisionName(root, 'before') },
      annotations: { 'apps.kruise.io/subset-patch': '' },
    },
    spec: {
      ...childSpec,
      replicas: pods,
      selector: { matchLabels },
      template: templateIn(root, subset, revisionName(root, 'before')),
      ...updatesBut(normal, 0),
    },
  };
}

/** A merge patch by which OpenKruise begins the change in a child. */
export function openKruiseChange(
  after: KubeObject,
  { subset, pods, updated }: Pick<LeftChild, 'subset' | 'pods' | 'updated'>,
): JsonObject {
  const revision = revisionName(after, 'after');
  return {
    metadata: { labels: { [ROOT_REVISION]: revision } },
    spec: {
      template: templateIn(after, subset, revision),
      ...updatesBut(normalizeUnited(after), pods - updated),
    },
  };
}

/** A revision of the root, which controls it. */
export function openKruiseRevision(root: KubeObject, manifest: KubeObject, state: State): KubeObject {
  const { namespace } = root.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(root, state),
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [controllerReference(root)],
    },
    data: {
      spec: { template: { ...objectOf(objectOf(manifest['spec'])['template']), $patch: 'replace' } },
    },
    revision: state === 'before' ? 1 : 2,
  };
}

/** The status of the root in the middle of the change, or without one. */
export function openKruiseStatus(root: KubeObject, isBegun: boolean): JsonObject {
  const updatedRevision = revisionName(root, isBegun ? 'after' : 'before');
  const status = { replicas: 0, updatedReplicas: 0, currentRevision: revisionName(root, 'before') };
  return { status: { ...status, updatedRevision } };
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
  const { resource, steps } = childKindOf(normalizeUnited(before).field);
  for (const each of children) {
    const { metadata } = await user.create(resource, openKruiseChild(before, each));
    await clock.advance(30_000);
    if (!isBegun || (steps === 'whole' && each.updated === 0)) continue;
    await patch(resource, metadata.name, openKruiseChange(after, each));
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
  await user.patch(
    resources.UnitedDeployment,
    { namespace, name: own },
    { type: 'merge', body: openKruiseStatus(root, isBegun) },
    { subresource: 'status' },
  );
  await user.create(resources.ControllerRevision, openKruiseRevision(root, before, 'before'));
  if (isBegun) await user.create(resources.ControllerRevision, openKruiseRevision(root, after, 'after'));
  const ownerReferences = [controllerReference(root)] as unknown as JsonObject[];
  for (const { subset, letters } of children)
    await patch(resource, `${own}-${subset}-${letters}`, { metadata: { ownerReferences } });
}
