import type { KubeObject } from '../../../schemas/wire/object.ts';
import { heldCondition, timed } from '../../../semantics/conditions/times.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import type { ObservedObjects } from '../../../semantics/kinds/kind.ts';
import { controllerReference } from '../../../semantics/owner.ts';
import { copyResource, specOf } from './spec.ts';

/** How often a shelf is looked after though nothing has changed. */
const AGAIN_MS = 600_000;

/** Every missing copy is made at once, every other one rewritten, and those beyond the number go. */
export function decide(
  { target, children = [], takenNames, now }: ObservedObjects,
  held: { reason: string; message: string } | undefined,
): Decision<object> {
  const { copies, text } = specOf(target);
  const { namespace = '' } = target.metadata;
  const child = { kind: 'Child', resource: copyResource, namespace } as const;
  const actions: Action[] = [];
  const names = Array.from({ length: copies }, (_, index) => `${target.metadata.name}-${index}`);
  const data = { text };
  for (const name of names) {
    const before = children.find(({ metadata }) => metadata.name === name);
    if (before === undefined && !takenNames.has(name)) {
      const metadata = { name, namespace, ownerReferences: [controllerReference(target)] };
      const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      actions.push({ ...child, do: 'create', verb: 'add copy', object, reason: 'it is missing' });
    } else if (before !== undefined && textOf(before) !== text) {
      const { uid = '', resourceVersion = '' } = before.metadata;
      const body = { metadata: { uid, resourceVersion }, data };
      actions.push({
        ...child,
        do: 'patch',
        verb: 'rewrite copy',
        name,
        body,
        reason: 'its text is another',
      });
    }
  }
  for (const { metadata } of children) {
    const { name, uid = '', resourceVersion = '' } = metadata;
    if (names.includes(name)) continue;
    const reason = 'no more copies are wanted';
    actions.push({ ...child, do: 'delete', verb: 'remove copy', name, uid, resourceVersion, reason });
  }
  const before = (target['status'] ?? {}) as { conditions?: [] };
  return {
    actions,
    explanations: [],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      copies: children.filter((each) => names.includes(each.metadata.name) && textOf(each) === text).length,
      conditions: timed([heldCondition(held)], before.conditions, now),
    },
    requeueAt: now + AGAIN_MS,
  };
}

function textOf(copy: KubeObject): string | undefined {
  return (copy['data'] as { text?: string } | undefined)?.text;
}
