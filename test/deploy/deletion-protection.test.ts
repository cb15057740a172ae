import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { CHILDREN_ANNOTATION, OBSERVED_ANNOTATION } from '../../semantics/protection/contents.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import { protectedResources, resourceName } from '../../semantics/protection/resources.ts';
import { root } from './cluster.ts';
import { canPolice, isSandbox, police } from './policed.ts';
import { labelled, protectionCases } from './protected.ts';

const shop = `kruise-protection-${process.pid}`;
const other = `${shop}-other`;
const POLICIES = ['deletion-protection.plan.kruise.io', 'deletion-protection-values.plan.kruise.io'];
const CASCADING_POLICIES = ['cascading-protection', 'runtime-protected', 'protected-children'].map(
  (name) => `${name}.plan.kruise.io`,
);
const REFUSED = 'forbidden by ResourcesProtectionDeletion';
const widgets = `widgets.kruise-${process.pid}.example.com`;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: widgets, labels: { [PROTECTION_LABEL]: 'Always' } },
  spec: {
    group: widgets.slice('widgets.'.length),
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

describe.skipIf(!canPolice)('deletion protection', () => {
  const { kubectl, done, install, until, close } = police([shop, other, 'kube-system']);
  const create = (object: object, namespace = shop) =>
    kubectl(`create -n ${namespace} -f -`, JSON.stringify(object));
  const dryDelete = (what: string, namespace = shop) =>
    kubectl(`delete ${what} -n ${namespace} --dry-run=server --wait=false`);
  /** Creates an object, and is refused its deletion. */
  async function isProtected(object: KubeObject, what: string): Promise<void> {
    expect(await create(object)).toMatchObject({ code: 0 });
    expect((await kubectl(`delete ${what} -n ${shop} --wait=false`)).err).toContain(REFUSED);
  }

  beforeAll(async () => {
    await done(`create namespace ${shop}`);
  }, 120_000);

  afterAll(async () => {
    await kubectl('delete --ignore-not-found validatingadmissionpolicybindings ' + POLICIES.join(' '));
    await kubectl(`delete customresourcedefinition ${widgets} --ignore-not-found --wait=false`);
    await kubectl(`delete namespace ${shop} ${other} --ignore-not-found --wait=false`);
    await close();
  });

  test('DP-1: without the component labelled objects are deleted', async () => {
    await install();
    const object = labelled('v1', 'ConfigMap', 'Always');
    expect(await create(object)).toMatchObject({ code: 0, err: '' });
    expect(await kubectl(`delete configmap ${object.metadata.name} -n ${shop}`)).toMatchObject({ code: 0 });
  });

  describe('with the component, by dry runs, too (DP-15)', () => {
    beforeAll(async () => {
      await install({ components: ['deletion-protection'] });
      const probe = labelled('v1', 'ConfigMap', 'Always');
      await create(probe);
      await until('the policies are in force', async () => {
        const { err } = await dryDelete(`configmap ${probe.metadata.name}`);
        const warned = await kubectl(
          `create -n ${shop} --dry-run=server -f -`,
          JSON.stringify(labelled('v1', 'ConfigMap', 'no')),
        );
        return err.includes(REFUSED) && warned.err.includes('protects nothing');
      });
    }, 120_000);

    // A sandbox evaluates policies, and does not check their types.
    test.skipIf(isSandbox).each(POLICIES)('%s is sound to the server', async (name) => {
      const path = '{.status.typeChecking}';
      await done(
        `wait validatingadmissionpolicy/${name} --for=jsonpath={.status.observedGeneration} --timeout=30s`,
      );
      expect(await done(`get validatingadmissionpolicy ${name} -o jsonpath=${path}`)).toBe('{}');
    });

    test.each(protectionCases)('$item: $resource, $object.metadata.name', async (each) => {
      const { object, resource, refusal, warning } = each;
      const created = await create(object);
      expect(created.code).toBe(0);
      expect(created.err).toContain(warning ?? '');
      if (warning === undefined) expect(created.err).toBe('');
      const { code, err } = await dryDelete(`${resource}/${object.metadata.name}`);
      if (refusal === undefined) expect([code, err]).toEqual([0, expect.not.stringContaining(REFUSED)]);
      else {
        expect(code).toBe(1);
        expect(err).toContain('(Forbidden)');
        expect(err).toContain(REFUSED);
        expect(err).toContain(object.metadata.name);
        expect(err).toContain(refusal);
      }
    });

    test('DP-2: a Namespace stays until its label is gone', async () => {
      expect(await kubectl(`label namespace ${shop} ${PROTECTION_LABEL}=Always`)).toMatchObject({ code: 0 });
      expect((await kubectl(`delete namespace ${shop} --dry-run=server`)).err).toContain(REFUSED);
      expect((await kubectl(`delete namespace ${shop} --wait=false`)).err).toContain(REFUSED);
      expect(await done(`get namespace ${shop} -o jsonpath={.status.phase}`)).toBe('Active');
      await done(`label namespace ${shop} ${PROTECTION_LABEL}-`);
      expect(await kubectl(`delete namespace ${shop} --dry-run=server`)).toMatchObject({ code: 0 });
    });

    test('DP-7: Cascading of what others are in is not enforced without its component, and says so', async () => {
      const off = (what: string): string =>
        `${PROTECTION_LABEL}=Cascading protects nothing of ${what} here: the component cascading-protection is off; write Always`;
      const { err } = await kubectl(`label namespace ${shop} ${PROTECTION_LABEL}=Cascading`);
      expect(err).toContain(off('namespaces'));
      expect(await kubectl(`delete namespace ${shop} --dry-run=server`)).toMatchObject({ code: 0 });
      await done(`label namespace ${shop} ${PROTECTION_LABEL}-`);
      const labels = { [PROTECTION_LABEL]: 'Cascading' };
      const created = await kubectl(
        'create --dry-run=server -f -',
        JSON.stringify({ ...definition, metadata: { ...definition.metadata, labels } }),
      );
      expect(created.err).toContain(off('customresourcedefinitions.apiextensions.k8s.io'));
    });

    test('an engine that prunes is refused: a Namespace and a Deployment stay', async () => {
      const pruned = (object: KubeObject): KubeObject => ({
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, set: 'pruned' } },
      });
      const namespace = pruned({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: other, labels: { [PROTECTION_LABEL]: 'Always' } },
      });
      const deployment = pruned(labelled('apps/v1', 'Deployment', 'Cascading', { replicas: 2 }));
      const { name } = deployment.metadata;
      const kept = pruned(labelled('v1', 'ConfigMap', 'no'));
      const sync = (...objects: readonly KubeObject[]) =>
        kubectl(
          `apply -n ${shop} -f - --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap --prune-allowlist=core/v1/Namespace --prune-allowlist=apps/v1/Deployment`,
          JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
        );
      expect((await sync(namespace, deployment, kept)).code).toBe(0);
      for (const [gone, still] of [
        [deployment, namespace],
        [namespace, deployment],
      ] as const) {
        const { code, err } = await sync(still, kept);
        expect([code, err]).toEqual([1, expect.stringContaining(`${REFUSED}: `)]);
        expect(err).toContain(gone.metadata.name);
      }
      expect(await done(`get namespace ${other} -o jsonpath={.status.phase}`)).toBe('Active');
      expect(await done(`get deployment ${name} -n ${shop} -o jsonpath={.spec.replicas}`)).toBe('2');
      await done(`scale deployment ${name} -n ${shop} --replicas=0`);
      await done(`label namespace ${other} ${PROTECTION_LABEL}-`);
      expect(await sync(kept)).toMatchObject({ code: 0 });
      expect((await kubectl(`get deployment ${name} -n ${shop}`)).code).toBe(1);
    });

    test('DP-5: a definition stays', async () => {
      await done('create -f -', JSON.stringify(definition));
      expect((await kubectl(`delete customresourcedefinition ${widgets} --wait=false`)).err).toContain(
        REFUSED,
      );
      await done(`label customresourcedefinition ${widgets} ${PROTECTION_LABEL}-`);
      expect(await kubectl(`delete customresourcedefinition ${widgets} --dry-run=server`)).toMatchObject({
        code: 0,
      });
    });

    test('DP-11, DP-12: without the label it may be deleted', async () => {
      const object = labelled('v1', 'Service', 'Always');
      const what = `service ${object.metadata.name}`;
      await isProtected(object, what);
      await done(`label ${what} -n ${shop} ${PROTECTION_LABEL}-`);
      expect(await kubectl(`delete ${what} -n ${shop}`)).toMatchObject({ code: 0 });
    });

    test('DP-13: what is on its way may be deleted again', async () => {
      const free = labelled('v1', 'ConfigMap', 'no');
      const { name } = free.metadata;
      const metadata = { ...free.metadata, labels: {}, finalizers: ['example.com/wait'] };
      await done(`create -n ${shop} -f -`, JSON.stringify({ ...free, metadata }));
      await done(`delete configmap ${name} -n ${shop} --wait=false`);
      await done(`label configmap ${name} -n ${shop} ${PROTECTION_LABEL}=Always`);
      expect(await kubectl(`delete configmap ${name} -n ${shop} --wait=false`)).toMatchObject({ code: 0 });
      // An update, which is no deletion.
      const patch = '{"metadata":{"finalizers":null}}';
      await done(`patch configmap ${name} -n ${shop} --type=merge -p '${patch}'`);
      expect((await kubectl(`get configmap ${name} -n ${shop}`)).code).toBe(1);
    });

    test('DP-14: a deleted collection leaves the protected one', async () => {
      const [held, free] = [labelled('v1', 'Service', 'Always'), labelled('v1', 'Service', 'no')];
      for (const [object, name] of [
        [held, 'b-held'],
        [free, 'a-free'],
      ] as const)
        await create({ ...object, metadata: { name, labels: { ...object.metadata.labels, set: 'one' } } });
      await kubectl(`delete --raw /api/v1/namespaces/${shop}/services?labelSelector=set%3Done`);
      expect(await done(`get services -n ${shop} -l set=one -o jsonpath={.items[*].metadata.name}`)).toBe(
        'b-held',
      );
    });

    test('DP-22: nothing of kube-system is protected', async () => {
      const object = labelled('v1', 'ConfigMap', 'Always');
      await create(object, 'kube-system');
      expect(await kubectl(`delete configmap ${object.metadata.name} -n kube-system`)).toMatchObject({
        code: 0,
      });
    });

    test('DP-25: its status and its scale are written as before', async () => {
      const object = labelled('apps/v1', 'Deployment', 'Always', { replicas: 0 });
      const { name } = object.metadata;
      await create(object);
      const patch = '{"status":{"observedGeneration":0}}';
      expect(
        await kubectl(`patch deployment ${name} -n ${shop} --subresource=status --type=merge -p '${patch}'`),
      ).toMatchObject({ code: 0, err: '' });
      expect(await kubectl(`scale deployment ${name} -n ${shop} --replicas=1`)).toMatchObject({
        code: 0,
        err: '',
      });
    });
  });
});

describe.skipIf(!canPolice)('cascading protection', () => {
  const place = `${shop}-cascading`;
  const { kubectl, done, install, until, close } = police([place]);
  const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
  const annotate = (words: string, as?: string) =>
    kubectl(`annotate --overwrite namespace ${place} ${words}${as === undefined ? '' : ` --as ${as}`}`);
  const refusal = async () => (await kubectl(`delete namespace ${place} --dry-run=server --wait=false`)).err;

  beforeAll(async () => {
    await done(`create namespace ${place}`);
    await install({ components: ['deletion-protection', 'cascading-protection'] });
    await until('the policies are in force', async () => {
      await kubectl(`label --overwrite namespace ${place} ${PROTECTION_LABEL}=Cascading`);
      const isGuarded = (await annotate(`${OBSERVED_ANNOTATION}=x --dry-run=server`)).code !== 0;
      return isGuarded && (await refusal()).includes(REFUSED);
    });
  }, 120_000);

  afterAll(async () => {
    await kubectl(`label namespace ${place} ${PROTECTION_LABEL}-`);
    await kubectl(`delete namespace ${place} --ignore-not-found --wait=false`);
    await close();
  });

  test.skipIf(isSandbox).each(CASCADING_POLICIES)('%s is sound to the server', async (name) => {
    const path = '{.status.typeChecking}';
    await done(
      `wait validatingadmissionpolicy/${name} --for=jsonpath={.status.observedGeneration} --timeout=30s`,
    );
    expect(await done(`get validatingadmissionpolicy ${name} -o jsonpath=${path}`)).toBe('{}');
  });

  test('the record of the runtime decides; nobody else writes it, and it writes nothing else', async () => {
    expect(await refusal()).toContain('the runtime has not seen yet what is in it');
    const uid = await done(`get namespace ${place} -o jsonpath={.metadata.uid}`);
    expect(await annotate(`${OBSERVED_ANNOTATION}=another-uid`, RUNTIME)).toMatchObject({ code: 0 });
    expect(await refusal()).toContain('the runtime has not seen yet what is in it');
    expect(await annotate(`${OBSERVED_ANNOTATION}=${uid}`, RUNTIME)).toMatchObject({ code: 0 });
    expect(await refusal()).not.toContain(REFUSED);
    expect(await annotate(`${CHILDREN_ANNOTATION}=pods`, RUNTIME)).toMatchObject({ code: 0 });
    expect(await refusal()).toContain(', and there are pods: delete them first, or remove the label');
    expect((await annotate(`${CHILDREN_ANNOTATION}-`)).err).toContain(
      'the runtime alone notes what is in namespaces',
    );
    expect((await annotate('team=shop', RUNTIME)).err).toContain('may note on namespaces what is in them');
    expect((await kubectl(`label namespace ${place} team=shop --as ${RUNTIME}`)).err).toContain(
      'may note on namespaces what is in them',
    );
    expect(await annotate('team=shop')).toMatchObject({ code: 0 });
  });

  test('nobody is warned of Cascading any more', async () => {
    const labels = { [PROTECTION_LABEL]: 'Cascading' };
    const created = await kubectl(
      'create --dry-run=server -f -',
      JSON.stringify({ ...definition, metadata: { ...definition.metadata, labels } }),
    );
    expect(created).toMatchObject({ code: 0, err: '' });
  });
});

test('DP-19: every version is protected, and a fault of the policy refuses', () => {
  const { policy } = shippedPolicies();
  const { failurePolicy, matchConstraints } = policy['spec'] as {
    failurePolicy: string;
    matchConstraints: {
      resourceRules: { apiGroups: string[]; apiVersions: string[]; resources: string[] }[];
    };
  };
  expect(failurePolicy).toBe('Fail');
  expect(new Set(matchConstraints.resourceRules.flatMap(({ apiVersions }) => apiVersions))).toEqual(
    new Set(['*']),
  );
  const named = matchConstraints.resourceRules.flatMap(({ apiGroups: [group = ''], resources }) =>
    resources.map((plural) => resourceName({ group, plural })),
  );
  expect(named.sort()).toEqual(protectedResources(kinds).map(resourceName).sort());
});

test('DP-23: the audit log of the server has who was refused', () => {
  const { binding } = shippedPolicies();
  expect(binding['spec']).toMatchObject({ validationActions: ['Deny', 'Audit'] });
});

test('every registered kind is protected', () => {
  const names = protectedResources(kinds).map(resourceName);
  for (const { resource } of kinds) expect(names).toContain(resourceName(resource));
});

/** The policy that refuses deletions, and its binding. */
function shippedPolicies(): { policy: KubeObject; binding: KubeObject } {
  const text = readFileSync(join(root, 'deploy/components/deletion-protection/policy.yaml'), 'utf8');
  const [policy, binding] = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
  if (policy === undefined || binding === undefined) throw new Error('the component has no policy');
  return { policy, binding };
}
