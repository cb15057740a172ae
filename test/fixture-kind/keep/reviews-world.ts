import { parseAllDocuments } from 'yaml';
import {
  authorized,
  createVirtualClock,
  createWorld,
  serviceAccount,
  type ResourceAttributes,
} from 'kruise-sandbox';
import { afterEach } from 'vitest';
import { deployOutputs } from '../../../deploy/generate/outputs.ts';
import { disruptionPath } from '../../../runtime/admit/configuration.ts';
import { createReviews } from '../../../runtime/admit/reviews.ts';
import { createAdmissionCaches } from '../../../runtime/admit/sources.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject, OwnerReference } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { injectorsOf, judgingKinds } from '../../../semantics/kinds/admitting.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { grant } from '../../deploy/scenario.ts';
import { replicaSetResource } from './admission.ts';
import { keepDefinitions } from './definitions.ts';
import { keepKind } from './kind.ts';
import { registered } from './registered.ts';
import { pod, SHOP } from './world.ts';

const ADMISSION = serviceAccount('kruise-system', 'kruise-admission');
export const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
/** An API server goes on without an answer. */
export const PATIENCE_MS = 3_000;

export const roles = parseAllDocuments(
  deployOutputs(registered, [...crds, ...keepDefinitions]).get('deploy/components/admission/rbac.yaml') ?? '',
).map((document) => document.toJS() as KubeObject);

/** The request of a review of a creation. */
export const creationBy = (username: string, object = pod('new')): JsonObject => ({
  uid: 'u',
  operation: 'CREATE',
  resource: { group: '', version: 'v1', resource: 'pods' },
  namespace: SHOP,
  userInfo: { username, groups: [] },
  object: object as unknown as JsonObject,
});

/** A pod of a ReplicaSet `web-1` of the Deployment `web`, both of which exist. */
export async function ofDeployment(admin: Cluster): Promise<KubeObject> {
  const spec = {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: pod('web'),
  };
  let owner: object = {};
  for (const [resource, name] of [
    [{ ...replicaSetResource, plural: 'deployments', kind: 'Deployment' }, 'web'],
    [replicaSetResource, 'web-1'],
  ] as const) {
    const { kind } = resource;
    const ownerReferences = kind === 'Deployment' ? [] : [owner as OwnerReference];
    const { metadata } = await admin.create(resource, {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: SHOP, ownerReferences },
      spec: { ...spec, template: { metadata: { labels: { app: 'web' } }, spec: spec.template['spec'] } },
    });
    owner = { apiVersion: 'apps/v1', kind, name, uid: metadata.uid, controller: true };
  }
  return pod('new', undefined, { ownerReferences: [owner] });
}

let end = (): void => {};
afterEach(() => end());

/**
 * Reviews under the role that is made for the registered kinds.
 *
 * @param of wraps what the account may do
 */
export async function setup(
  objects: readonly KubeObject[],
  {
    of = (cluster: Cluster): Cluster => cluster,
    granted = roles,
    kinds = registered,
  }: { of?: (cluster: Cluster) => Cluster; granted?: readonly KubeObject[]; kinds?: readonly Kind[] } = {},
) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP, 'kruise-system'];
  const world = createWorld({ clock, namespaces, nodes: 0, crds: [...crds, ...keepDefinitions] });
  grant(world, granted);
  const admin = world.cluster('admin');
  for (const each of objects)
    await admin.create(each.kind === 'Pod' ? resources.Pod : keepKind.resource, each);
  const asked = new Set<string>();
  const refused = new Set<string>();
  const note = ({ verb, resource, subresource }: ResourceAttributes, isAllowed: boolean): void => {
    const what = subresource === '' ? resource : `${resource}/${subresource}`;
    (isAllowed ? asked : refused).add(`${verb} ${what}`);
  };
  const cluster = of(authorized(world, ADMISSION, note));
  const caches = createAdmissionCaches({
    cluster,
    clock,
    random: () => 0.5,
    injectors: injectorsOf(kinds),
    kinds: judgingKinds(kinds),
    stateNamespace: 'kruise-system',
    policy: 'Required',
    onError() {},
    onSync() {},
    onLeftOut() {},
  });
  const [results, unrecorded]: [string[], string[]] = [[], []];
  const served = createReviews({
    kinds,
    caches,
    cluster,
    clock,
    random: () => 0.5,
    accounts: [RUNTIME],
    onReviewed: (result) => results.push(result),
    onDisruption: (kind, result) =>
      results.push(`${kind} ${result.is === 'unreviewed' ? result.reason : result.is}`),
    onUnrecorded: (about) => unrecorded.push(about),
  });
  caches.start();
  await clock.advance(1_000);
  end = () => {
    caches.stop();
    world.stop();
  };

  /** The response to a review of the pod as it is stored, and how long it took, milliseconds. */
  async function ask(operation: string, name: string, more: JsonObject = {}) {
    const { items } = await admin.list(resources.Pod, { namespace: SHOP });
    const found = items.find(({ metadata }) => metadata.name === name) ?? pod(name, 'doors');
    const isEviction = operation === 'EVICT';
    const request: JsonObject = {
      uid: 'u',
      operation: isEviction ? 'CREATE' : operation,
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: isEviction ? 'eviction' : '',
      namespace: SHOP,
      name,
      userInfo: { username: 'mona', groups: [] },
      ...(isEviction ? {} : { oldObject: found as unknown as JsonObject }),
      ...more,
    };
    const started = clock.monotonic();
    let took = Number.NaN;
    const answer = Promise.resolve(served.get(disruptionPath(keepKind))?.({ request })).then((each) => {
      took = clock.monotonic() - started;
      return objectOf(each?.['response']);
    });
    await clock.advance(10_000);
    const { allowed, status } = await answer;
    const { code, message } = objectOf(status);
    return { allowed, ...(code !== undefined && { code, message }), took };
  }

  const statusOf = async (name: string): Promise<unknown> =>
    (await admin.get(keepKind.resource, { namespace: SHOP, name }))['status'];
  return { admin, clock, ask, statusOf, asked, refused, results, unrecorded, served };
}
