import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { MISSED_CONDITION } from '../plan/held-condition.ts';
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
 * set. A pod that was injected after the set was created, and not with it, has its canary instead. Of one that is too large to be
 * cached nothing is known, so it counts, too.
 *
 * @param pods the pods that the set selects, those that have all of its containers may be left out
 */
export function missedPods(target: KubeObject, set: NormalSidecarSet, pods: readonly Pod[]): Pod[] {
  const since = timeOf(target.metadata.creationTimestamp);
  return pods.filter((pod) => {
    const { namespace, annotations, creationTimestamp } = pod.metadata;
    if (EXEMPT_NAMESPACES.includes(namespace ?? '') || !isActive(pod)) return false;
    if (isUnread(pod)) return true;
    if (set.injectionPaused || recordOf(pod, set.name) !== undefined) return false;
    return annotations?.[INJECTED_LIST_ANNOTATION] === undefined || timeOf(creationTimestamp) < since;
  });
}

/** The condition that names one of them, and one that is too large; undefined: none is missed. */
export function missedCondition(missed: readonly Pod[]): Condition | undefined {
  const unread = missed.filter(isUnread);
  const there = missed.filter((pod) => !isUnread(pod));
  const texts = [notInjectedText(there), tooLargeText(unread)].filter((text) => text !== undefined);
  if (texts.length === 0) return undefined;
  return {
    type: MISSED_CONDITION,
    status: 'True',
    reason: there.length > 0 ? 'NotInjected' : 'TooLarge',
    message: texts.join('. '),
  };
}

/** Every pod has a container: one without is not cached, because it is too large. */
function isUnread({ spec }: Pod): boolean {
  return spec.containers.length === 0;
}

function notInjectedText(pods: readonly Pod[]): string | undefined {
  const [have, which] = pods.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  return pods.length === 0
    ? undefined
    : `${countText(pods.length, 'pod')} that the set selects ${have} none of its containers, such as ${firstOf(pods)}: ` +
        `${which} older than the set, or no webhook was asked. Check it with kruise admission check, and recreate the pods`;
}

function tooLargeText(pods: readonly Pod[]): string | undefined {
  const are = pods.length === 1 ? 'is' : 'are';
  return pods.length === 0
    ? undefined
    : `${countText(pods.length, 'pod')} that the set selects ${are} too large to be read, such as ${firstOf(pods)}: ` +
        'make their annotations smaller, or delete objects of their namespace that nothing needs';
}

function firstOf(pods: readonly Pod[]): string {
  const names = pods.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`).sort();
  return names[0] ?? '';
}
