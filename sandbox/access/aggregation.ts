import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { attempt } from '../api/attempt.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { createWorkQueue } from '../controllers/workQueue.ts';
import { selects } from '../kinds/selectors.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';

const user = 'system:serviceaccount:kube-system:clusterrole-aggregation-controller';
const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
const clusterRolesId = 'clusterroles.rbac.authorization.k8s.io';

type Selectors = Parameters<typeof selects>[0][];

function selectorsOf(role: KubeObject): Selectors | undefined {
  const found = fieldAt(role, ['aggregationRule', 'clusterRoleSelectors']);
  return Array.isArray(found) ? (found as Selectors) : undefined;
}

/** The rules of every other role matched by the selectors, sorted by selector and name, without duplicates. */
function gathered(role: KubeObject, selectors: Selectors, all: readonly KubeObject[]): unknown[] {
  const rules: unknown[] = [];
  for (const selector of selectors)
    for (const { metadata, rules: own } of all) {
      if (metadata.name === role.metadata.name || !selects(selector, metadata.labels ?? {})) continue;
      for (const rule of Array.isArray(own) ? (own as unknown[]) : [])
        if (!rules.some((known) => sameValue(known, rule))) rules.push(rule);
    }
  return rules;
}

/** Aggregates ClusterRoles: a role with an aggregationRule gets the rules of the roles that its selectors match. */
export function startAggregation({ store, server, clock, timings }: ControllerContext): () => void {
  const enqueue = createWorkQueue(clock);

  function aggregate(): void {
    const all = store.list(clusterRolesId);
    for (const role of all) {
      const selectors = selectorsOf(role);
      if (selectors === undefined) continue;
      const rules = gathered(role, selectors, all);
      if (sameValue(rules, role['rules'] ?? [])) continue;
      const { name } = role.metadata;
      const body = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules,
      } as unknown as JsonObject;
      attempt(() =>
        server.patch(
          user,
          clusterRoles,
          { name },
          { type: 'apply', body, force: true },
          { fieldManager: 'clusterrole-aggregation-controller' },
        ),
      );
    }
  }

  return store.followAll(({ resource }) => {
    if (resource === clusterRolesId) enqueue('roles', timings.collectMs, aggregate);
  });
}
