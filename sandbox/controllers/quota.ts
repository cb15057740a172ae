import type { KubeObject } from '../../schemas/wire/object.ts';
import { evaluatorOf } from '../admission/evaluators.ts';
import { recountQuota } from '../admission/quotas.ts';
import { attempt } from '../api/attempt.ts';
import { isFinished, type Pod } from '../../schemas/pods/pod.ts';
import type { Commit } from '../store/history.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const user = 'system:serviceaccount:kube-system:resourcequota-controller';
const quotasId = 'resourcequotas';
const quotas = { group: '', version: 'v1', plural: quotasId };
const definitionsId = 'customresourcedefinitions.apiextensions.k8s.io';
/** Usage that decreases without a change of an object is found by the periodic full recount. */
const recountMs = 300_000;

/** Whether a change of an object can decrease usage. Admission handles increases. */
function givesBack(resource: string, object: KubeObject, previous: KubeObject): boolean {
  switch (resource) {
    case 'pods': {
      const [pod, before] = [object as Pod, previous as Pod];
      const resources = ({ status }: Pod) =>
        [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((each) => [
          each.resources,
          each.allocatedResources,
        ]);
      return (isFinished(pod) && !isFinished(before)) || !sameValue(resources(pod), resources(before));
    }
    case 'services':
      return !sameValue(object['spec'], previous['spec']);
    case 'persistentvolumeclaims':
      return (
        !sameValue(object['spec'], previous['spec']) ||
        !sameValue(
          fieldAt(object, ['status', 'allocatedResources']),
          fieldAt(previous, ['status', 'allocatedResources']),
        )
      );
    default:
      return false;
  }
}

/** Maintains the status of ResourceQuotas: recounts when the spec changes or when counted objects release usage. */
export function startQuotas({ store, registry, server, clock, timings }: ControllerContext): () => void {
  const enqueue = createWorkQueue(clock);
  /** Indexed by namespace: changes cost nothing in namespaces without quotas. */
  const counts = new Map<string, number>();

  function work(namespace: string): void {
    for (const quota of store.list(quotasId, namespace)) {
      const inventory = {
        registry,
        list: (id: string, within: string) => store.list(id, within),
        now: clock.now(),
      };
      const next = recountQuota(quota, inventory);
      if (sameValue(next['status'], quota['status'])) continue;
      if (!attempt(() => server.replace(user, quotas, next, { subresource: 'status' }))) later(namespace);
    }
  }

  function later(namespace: string): void {
    enqueue(namespace, timings.collectMs, () => work(namespace));
  }

  function recount(): void {
    enqueue('', recountMs, () => {
      for (const [namespace, count] of counts) if (count > 0) work(namespace);
      if ([...counts.values()].some((count) => count > 0)) recount();
    });
  }

  function seeQuota({ type, object, previous }: Commit, namespace: string): void {
    if (type !== 'MODIFIED')
      counts.set(namespace, (counts.get(namespace) ?? 0) + (type === 'ADDED' ? 1 : -1));
    if (type === 'ADDED') recount();
    if (type !== 'DELETED' && !sameValue(object['spec'], previous?.['spec'])) later(namespace);
  }

  function see(commit: Commit): void {
    const { type, resource, object, previous } = commit;
    const { namespace } = object.metadata;
    if (resource === quotasId && namespace !== undefined) seeQuota(commit, namespace);
    // Quotas can now count the new kind.
    if (resource === definitionsId && type === 'ADDED')
      for (const [known, count] of counts) if (count > 0) later(known);
    if (namespace === undefined || (counts.get(namespace) ?? 0) === 0) return;
    const kind = registry.byId(resource);
    if (kind === undefined || evaluatorOf(kind) === undefined) return;
    if (type === 'DELETED' || (previous !== undefined && givesBack(resource, object, previous)))
      later(namespace);
  }

  return store.followAll(see);
}
