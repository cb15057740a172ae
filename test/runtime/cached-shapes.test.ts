import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createIntern } from '../../runtime/observe/intern.ts';
import { narrowNode } from '../../runtime/observe/nodes.ts';
import { createPolicies } from '../../runtime/observe/policies.ts';
import { plain } from '../../runtime/observe/retention.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { projectClaim } from '../../semantics/claims/unit.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { projectCopy } from '../../semantics/resourcedistribution/content.ts';
import { newCopy, wantedCopy } from '../../semantics/resourcedistribution/copies.ts';
import { decideDistribution } from '../../semantics/resourcedistribution/decide.ts';

/**
 * Objects of one shape share its description in V8. A literal that begins with a spread has one of its own, which is as large as what is
 * cached of a copy: half a kilobyte for each object.
 */
setFlagsFromString('--allow-natives-syntax');
const haveOneShape = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;

/** The engine has learned what the literals are like. */
const MANY = 200;

const intern = createIntern();
const policies = createPolicies(() => {});
let uid = 0;

/** An object as a server answers it. */
function served(kind: string, rest: object): KubeObject {
  uid += 1;
  const labels = { app: 'web' };
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    'policy.kruise.io/mode': 'x',
  };
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'u' };
  const metadata = {
    ...{ name: `web-${uid}`, namespace: `team-${uid}`, uid: `u-${uid}`, resourceVersion: String(uid) },
    ...{ creationTimestamp: '2026-01-01T00:00:00Z', labels, annotations },
    ...{ ownerReferences: [{ ...owner, controller: true }], managedFields: [{ manager: 'kubectl' }] },
  };
  return JSON.parse(JSON.stringify({ apiVersion: 'v1', kind, metadata, ...rest })) as KubeObject;
}

const distribution = served('ResourceDistribution', {
  spec: {
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'red' } },
    targets: { allNamespaces: true },
  },
});

const cached: Readonly<Record<string, () => object>> = {
  'a pod': () =>
    projectPod(
      served('Pod', { spec: { containers: [{ name: 'main', image: 'web' }] }, status: {} }) as Pod,
      intern,
    ),
  'a claim': () => projectClaim(served('PersistentVolumeClaim', { spec: {}, status: {} })),
  'a copy': () => projectCopy(served('ConfigMap', { data: { color: 'red' } }), intern),
  'a node': () => narrowNode(served('Node', { spec: {}, status: {} }), intern, undefined),
  'a namespace': () => policies.keep(served('Namespace', {})),
  'any other object': () => plain(served('ControllerRevision', { data: {}, revision: 1 })),
  'a copy to be written': () => newCopy(distribution, wantedCopy(distribution), `team-${(uid += 1)}`),
  'the creation of a copy': () => acted([]),
  'the change of a copy': () => acted([projectCopy(served('ConfigMap', {}), intern)]),
};

function acted(children: readonly KubeObject[]): object {
  const [child = { metadata: { namespace: `team-${(uid += 1)}` } }] = children;
  const { namespace = '' } = child.metadata;
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }];
  const named = children.map((each) => ({ ...each, metadata: { ...each.metadata, name: 'settings' } }));
  const { actions } = decideDistribution(
    { target: distribution, children: named, namespaces, now: 0 },
    undefined,
  );
  return actions[0] ?? {};
}

it.each(Object.entries(cached))('%s shares its shape with those like it', (_, made) => {
  for (let count = 0; count < MANY; count += 1) made();
  expect(differing(made(), made(), 'it')).toEqual([]);
});

/** Where two values that are alike have shapes of their own. */
function differing(one: unknown, other: unknown, path: string): string[] {
  if (one === other || typeof one !== 'object' || typeof other !== 'object') return [];
  if (one === null || other === null) return [];
  const below = Object.keys(one).flatMap((key) =>
    differing(one[key as never], other[key as never], `${path}.${key}`),
  );
  return haveOneShape(one, other) ? below : [path, ...below];
}
