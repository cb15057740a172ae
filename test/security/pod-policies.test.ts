import { authorized } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { missingPolicies } from '../../runtime/pod-policies.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { RUNTIME, shipped, shippedWorld } from './shipped.ts';

const budget: KubeObject = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
};
const roles = shipped('rbac');
const [policy, binding] = shipped('components/budget-protection') as [KubeObject, KubeObject];
const { name } = policy.metadata;
const said = (lack: string): string[] => [
  `no PodUnavailableBudget stops others than the runtime: the server has ${lack}; install deploy/components/budget-protection`,
];
const warning: KubeObject = {
  ...binding,
  spec: { ...(binding['spec'] as object), validationActions: ['Warn'] },
};
const NONE = said(`no ValidatingAdmissionPolicy ${name}`);

test.each<[string, string[], KubeObject[], { budgets?: KubeObject[]; in?: string }]>([
  ['nothing is installed', NONE, roles, {}],
  ['the binding is missing', said(`no ValidatingAdmissionPolicyBinding ${name}`), [...roles, policy], {}],
  [
    'the binding warns alone',
    said(`a ValidatingAdmissionPolicyBinding ${name} that denies nothing of this policy`),
    [...roles, policy, warning],
    {},
  ],
  ['both are there', [], [...roles, policy, binding], {}],
  ['nobody has a budget', [], roles, { budgets: [] }],
  ['nobody has one in its namespace', [], roles, { in: 'other' }],
  ['somebody has one in its namespace', NONE, roles, { in: 'shop' }],
  ['it may not read policies', [], roles.map(withoutPolicies), {}],
])('the runtime says which policy of a kind is missing: %s', async (_, expected, objects, more) => {
  const { world } = shippedWorld(objects);
  for (const each of more.budgets ?? [budget])
    await world.cluster('admin').create(resources.PodUnavailableBudget, each);
  const refused: string[] = [];
  const cluster = authorized(world, RUNTIME, ({ verb, resource }, isAllowed) => {
    if (!isAllowed) refused.push(`${verb} ${resource}`);
  });
  expect(await missingPolicies(cluster, kinds, more.in)).toEqual(expected);
  expect(refused.filter((each) => !each.includes('validatingadmission'))).toEqual([]);
  world.stop();
});

function withoutPolicies(role: KubeObject): KubeObject {
  const { rules } = role as KubeObject & { rules?: { resources: string[] }[] };
  if (rules === undefined) return role;
  return {
    ...role,
    rules: rules.filter((rule) => !rule.resources.some((each) => each.startsWith('validating'))),
  };
}
