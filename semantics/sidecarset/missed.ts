import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { MISSED_CONDITION } from '../plan/held.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { exemptNamespaces, STATE_NAMESPACE } from '../values/system-namespaces.ts';
import { countText } from '../values/text.ts';
import { timeOf } from '../values/timestamp.ts';
import { recordOf } from './pod-record.ts';
import type { NormalSidecarSet } from './normalize.ts';
import { INJECTED_LIST_ANNOTATION } from './resource.ts';

/** The namespaces without injection where the webhook is in the namespace that it has by default. */
export const EXEMPT_NAMESPACES: readonly string[] = exemptNamespaces([STATE_NAMESPACE]);

/**
 * The pods that a set selects and that have none of its containers: no webhook was asked about them, or they are older than the
 * set. A pod that was injected after the set was created, and not with it, has its canary instead.
 *
 * @param pods the pods that the set selects, those that have all of its containers may be left out
 */
export function missedPods(target: KubeObject, set: NormalSidecarSet, pods: readonly Pod[]): Pod[] {
  if (set.injectionPaused) return [];
  const since = timeOf(target.metadata.creationTimestamp);
  return pods.filter((pod) => {
    const { namespace, annotations, creationTimestamp } = pod.metadata;
    if (
      EXEMPT_NAMESPACES.includes(namespace ?? '') ||
      !isActive(pod) ||
      recordOf(pod, set.name) !== undefined
    )
      return false;
    return annotations?.[INJECTED_LIST_ANNOTATION] === undefined || timeOf(creationTimestamp) < since;
  });
}

/** The condition that names one of them; undefined: none is missed. */
export function missedCondition(missed: readonly Pod[]): Condition | undefined {
  const [first] = missed.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`).sort();
  if (first === undefined) return undefined;
  const [have, which] = missed.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  return {
    type: MISSED_CONDITION,
    status: 'True',
    reason: 'NotInjected',
    message:
      `${countText(missed.length, 'pod')} that the set selects ${have} none of its containers, such as ${first}: ` +
      `${which} older than the set, or no webhook was asked. Check it with kruise admission check, and recreate the pods`,
  };
}
