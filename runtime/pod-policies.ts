import type { Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { policedKinds, policyName } from '../semantics/kinds/admitting.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import { objectOf } from '../semantics/values/read.ts';
import { bindings, policies } from './break-glass.ts';
import { orMissing } from './definitions.ts';
import { isForbidden } from './problem.ts';

/**
 * What others may do to pods although objects of these kinds forbid it, as the policy by which API servers refuse it is missing: one
 * sentence for each kind that has objects. Where the runtime may not read policies, as in one namespace, nothing is known.
 */
export async function missingPolicies(
  cluster: Cluster,
  kinds: readonly Kind[],
  namespace: string | undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const { kind, rules } of policedKinds(kinds)) {
    const { items } = await cluster.list(kind.resource, {
      limit: 1,
      ...(namespace !== undefined && { namespace }),
    });
    if (items.length === 0) continue;
    const name = policyName(rules);
    const lack = await lackOf(cluster, name);
    if (lack !== undefined)
      found.push(
        `no ${kind.id.kind} stops others than the runtime: the server has ${lack}; install deploy/components/budget-protection`,
      );
  }
  return found;
}

async function lackOf(cluster: Cluster, name: string): Promise<string | undefined> {
  try {
    for (const resource of [policies, bindings]) {
      const object = await orMissing(cluster.get(resource, { name }));
      if (object === undefined) return `no ${resource.kind} ${name}`;
      if (resource === bindings && !isDenying(object, name))
        return `a ${resource.kind} ${name} that denies nothing of this policy`;
    }
    return undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function isDenying({ spec }: KubeObject, name: string): boolean {
  const { policyName: bound, validationActions } = objectOf(spec);
  return bound === name && Array.isArray(validationActions) && validationActions.includes('Deny');
}
