import { expect } from 'vitest';
import type { Kubectl } from './suite.ts';

/** A policy with its binding. */
export interface Bound {
  /** Fields of the policy's spec besides its match constraints. */
  spec: object;
  rules?: readonly object[];
  constraints?: object;
  binding?: object;
}

export const configMapRule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};

/** Policies bound to the case's namespace; the names of cluster-scoped objects begin with it. */
export function bundle(k: Kubectl, name: string, { spec, rules, constraints, binding }: Bound): object[] {
  const own = `${k.namespace}.${name}`;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': k.namespace } };
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: own },
    spec: { matchConstraints: { resourceRules: rules ?? [configMapRule], ...constraints }, ...spec },
  };
  const bindingObject = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: own },
    spec: {
      policyName: own,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector },
      ...binding,
    },
  };
  return [policy, bindingObject];
}

/** A server puts a policy in force, and sees its parameters, a moment after they are stored. */
export async function untilDenied(k: Kubectl, name: string, why: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { err } = await k.raw(`create configmap ${name} --dry-run=server`);
    if (err.includes(why)) return;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

/** Creates policies, plays, and removes them: they would stay behind the case's namespace. */
export async function bound(
  k: Kubectl,
  policies: Record<string, Bound>,
  play: () => Promise<void>,
): Promise<void> {
  const probe: Bound = {
    spec: { validations: [{ expression: "object == null || object.metadata.name != 'probe'" }] },
  };
  const all = Object.entries({ ...policies, probe }).flatMap(([name, each]) => bundle(k, name, each));
  const file = k.file('policies.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all }));
  const made = await k.raw(`create -f ${file}`);
  expect([made.code, made.err]).toEqual([0, '']);
  try {
    await untilDenied(k, 'probe', 'probe');
    await play();
  } finally {
    await k.raw(`delete -f ${file}`);
  }
}
