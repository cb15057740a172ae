import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { isLaunching } from '../../semantics/pod/launching.ts';
import { controllerOf, type GroupKind, groupKindOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { type TargetKey, targetKey } from './target-key.ts';

const POD: GroupKind = resources.Pod;

/** Whether no registered kind creates a pod. The others start their containers with the reconcile of their target. */
function isForeign(pod: KubeObject): boolean {
  const controller = controllerOf(pod);
  return controller === undefined || kindOf(groupKindOf(controller)) === undefined;
}

/**
 * Whether a pod of another owner has containers that wait for their priority. Only such pods are cached, and only as long as
 * that is so.
 */
export function isForeignLaunch(pod: KubeObject): boolean {
  const { containers } = (pod['spec'] ?? {}) as { containers?: unknown };
  return Array.isArray(containers) && isForeign(pod) && isLaunching(pod as Pod);
}

/** The key of a pod that is reconciled by itself: no target is of this kind. */
export function podKey({ metadata: { namespace = '', name } }: KubeObject): TargetKey {
  return targetKey(POD, namespace, name);
}

/** Whether a key is that of a pod. */
export function isPodKey({ group, kind }: TargetKey): boolean {
  return group === POD.group && kind === POD.kind;
}
