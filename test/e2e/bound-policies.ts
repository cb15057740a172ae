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

/** The same without DELETE, which mutating policies cannot name. */
export const mutableConfigMapRule = { ...configMapRule, operations: ['CREATE', 'UPDATE'] };

/** The two kinds of policies, and what their bindings need. */
const policyKinds = {
  Validating: { version: 'v1', action: { validationActions: ['Deny'] } },
  Mutating: { version: 'v1beta1', action: {} },
} as const;

type PolicyKind = keyof typeof policyKinds;

/** Policies bound to the case's namespace; the names of cluster-scoped objects begin with it. */
export function bundle(
  k: Kubectl,
  name: string,
  { spec, rules, constraints, binding }: Bound,
  kind: PolicyKind = 'Validating',
): object[] {
  const own = `${k.namespace}.${name}`;
  const { version, action } = policyKinds[kind];
  const apiVersion = `admissionregistration.k8s.io/${version}`;
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': k.namespace } };
  const policy = {
    apiVersion,
    kind: `${kind}AdmissionPolicy`,
    metadata: { name: own },
    spec: { matchConstraints: { resourceRules: rules ?? [configMapRule], ...constraints }, ...spec },
  };
  const bindingObject = {
    apiVersion,
    kind: `${kind}AdmissionPolicyBinding`,
    metadata: { name: own },
    spec: { policyName: own, ...action, matchResources: { namespaceSelector }, ...binding },
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

/** Creates policies, waits until they are in force, plays, and removes them: they would stay behind the namespace. */
async function inForce(
  k: Kubectl,
  items: readonly object[],
  wait: () => Promise<void>,
  play: () => Promise<void>,
): Promise<void> {
  const file = k.file('policies.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const made = await k.raw(`create -f ${file}`);
  // Versions that will be deprecated are warned about.
  expect([made.code, made.err.replace(/^(?:Warning: .*\n)*/, '')]).toEqual([0, '']);
  try {
    await wait();
    await play();
  } finally {
    await k.raw(`delete -f ${file}`);
  }
}

/** Plays a case with validating policies. */
export async function bound(
  k: Kubectl,
  policies: Record<string, Bound>,
  play: () => Promise<void>,
): Promise<void> {
  const probe: Bound = {
    spec: { validations: [{ expression: "object == null || object.metadata.name != 'probe'" }] },
  };
  const all = Object.entries({ ...policies, probe }).flatMap(([name, each]) => bundle(k, name, each));
  await inForce(k, all, () => untilDenied(k, 'probe', 'probe'), play);
}

/** How long a server may take until it evaluates a new mutating policy. */
const PATIENCE_MS = 240_000;

/** Plays a case with mutating policies. */
export async function boundMutating(
  k: Kubectl,
  policies: Record<string, Bound>,
  play: () => Promise<void>,
): Promise<void> {
  const expression = "Object{metadata: Object.metadata{labels: {'probed': 'yes'}}}";
  const probe: Bound = {
    spec: {
      reinvocationPolicy: 'Never',
      matchConditions: [{ name: 'probe', expression: "object.metadata.name == 'probe'" }],
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    },
    rules: [mutableConfigMapRule],
  };
  const all = Object.entries({ ...policies, probe }).flatMap(([name, each]) =>
    bundle(k, name, { rules: [mutableConfigMapRule], ...each }, 'Mutating'),
  );
  const command = 'create configmap probe --dry-run=server -o jsonpath={.metadata.labels.probed}';
  const untilProbed = async () => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      if ((await k.raw(command)).out === 'yes') return;
      await new Promise((resolve) => void setTimeout(resolve, 200));
    }
  };
  await inForce(k, all, untilProbed, play);
}
