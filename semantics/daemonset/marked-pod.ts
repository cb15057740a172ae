import { condition } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';

/**
 * Whether the node controller has marked a pod as not ready, because its node is not Ready. It changes this condition alone, while
 * a kubelet reports a pod as not ready for its containers or its readiness gates. A pod may be observed before its node.
 */
export function isMarkedForNode(pod: Pod): boolean {
  const is = (type: string): string | undefined => condition(pod, type)?.status;
  const { readinessGates = [] } = pod.spec;
  return (
    is('Ready') === 'False' &&
    is('ContainersReady') === 'True' &&
    readinessGates.every(({ conditionType }) => is(conditionType) === 'True')
  );
}
