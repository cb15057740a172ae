import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupResource } from '../api/errors.ts';
import type { ResourceType } from '../api/registry.ts';
import { amountOf, type Amount } from '../../schemas/pods/amount.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { oneUnit, type Amounts } from '../../schemas/pods/amounts.ts';
import { isPodResource, podUsage, missingResources } from './podUsage.ts';
import { claimMatchesScope, podMatchesScope, type Scope } from './scopes.ts';

/** How objects of a kind count against a quota. */
export interface Evaluator {
  /** Whether objects of this kind use a given quota resource. */
  counts(resource: string): boolean;
  /** `now`: milliseconds since 1970 UTC. */
  usage(object: KubeObject, now: number): Amounts;
  /** Whether an object matches a scope; without this function no object does. */
  matchesScope?: (scope: Scope, object: KubeObject) => boolean;
  /** The required fields that the object does not set although the quota limits these resources. */
  missingResources?: (object: KubeObject, resources: readonly string[]) => string | undefined;
  /** The updates that can increase usage: of the object, or of a subresource. */
  updates?: 'object' | 'resize';
}

const pods: Evaluator = {
  counts: isPodResource,
  usage: (object, now) => podUsage(object as Pod, now),
  matchesScope: (scope, object) => podMatchesScope(scope, object as Pod),
  missingResources: (object, resources) => missingResources(object as Pod, resources),
  updates: 'resize',
};

function pieces(count: number): Amount {
  return { billionths: BigInt(count) * oneUnit.billionths, form: oneUnit.form };
}

/** The quota resources for load balancers and node ports, which depend on the Service type. */
function serviceUsage({ spec }: KubeObject): Amounts {
  const { type, ports, allocateLoadBalancerNodePorts } = isFields(spec) ? spec : {};
  const list: unknown[] = Array.isArray(ports) ? ports : [];
  const given = list.filter((port) => Number(fieldAt(port, ['nodePort']) ?? 0) !== 0).length;
  const balanced = type === 'LoadBalancer';
  const open = type === 'NodePort' || (balanced && allocateLoadBalancerNodePorts !== false);
  return new Map([
    ['count/services', oneUnit],
    ['services', oneUnit],
    ['services.loadbalancers', pieces(balanced ? 1 : 0)],
    ['services.nodeports', pieces(open ? list.length : balanced ? given : 0)],
  ]);
}

const services: Evaluator = {
  counts: (resource) => /^(?:count\/services|services(?:\.loadbalancers|\.nodeports)?)$/.test(resource),
  usage: serviceUsage,
  updates: 'object',
};

const ofClass = '.storageclass.storage.k8s.io/';

function claimUsage(claim: KubeObject): Amounts {
  const wanted = amountOf(fieldAt(claim, ['spec', 'resources', 'requests', 'storage']));
  const allocated = amountOf(fieldAt(claim, ['status', 'allocatedResources', 'storage']));
  const storage = (allocated?.billionths ?? 0n) > (wanted?.billionths ?? 0n) ? allocated : wanted;
  const annotation = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  const className = annotation ?? fieldAt(claim, ['spec', 'storageClassName']);
  const named = typeof className === 'string' && className !== '' ? [className] : [];
  return new Map([
    ['count/persistentvolumeclaims', oneUnit],
    ['persistentvolumeclaims', oneUnit],
    ...named.map((name): [string, Amount] => [`${name}${ofClass}persistentvolumeclaims`, oneUnit]),
    ...(storage === undefined
      ? []
      : ['requests.storage', ...named.map((name) => `${name}${ofClass}requests.storage`)].map(
          (name): [string, Amount] => [name, storage],
        )),
  ]);
}

const claims: Evaluator = {
  counts: (resource) =>
    ['count/persistentvolumeclaims', 'persistentvolumeclaims', 'requests.storage'].includes(resource) ||
    resource.endsWith(`${ofClass}persistentvolumeclaims`) ||
    resource.endsWith(`${ofClass}requests.storage`),
  usage: claimUsage,
  matchesScope: claimMatchesScope,
  updates: 'object',
};

/** Kinds that a quota can also name without the `count/` prefix. */
const shortlyNamed = ['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets'];

function countOf(id: string): Evaluator {
  const names = [`count/${id}`, ...(shortlyNamed.includes(id) ? [id] : [])];
  const usage = new Map(names.map((name) => [name, oneUnit]));
  return { counts: (resource) => names.includes(resource), usage: () => usage };
}

const evaluators = new Map<string, Evaluator>([
  ['pods', pods],
  ['services', services],
  ['persistentvolumeclaims', claims],
]);

/** The evaluator of a kind; undefined for kinds that quotas ignore: cluster-scoped kinds and Events. */
export function evaluatorOf(type: ResourceType): Evaluator | undefined {
  const id = groupResource(type);
  if (!type.namespaced || type.answer !== undefined || type.id === 'events') return undefined;
  let evaluator = evaluators.get(id);
  if (evaluator === undefined) evaluators.set(id, (evaluator = countOf(id)));
  return evaluator;
}
