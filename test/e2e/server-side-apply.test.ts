import { expect } from 'vitest';
import { cloneSet, configMap, deployment, pod } from './manifests.ts';
import { suite, type StoredObject } from './suite.ts';

const managers = ({ metadata }: StoredObject) =>
  (metadata.managedFields ?? [])
    .map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join(' '))
    .sort();

suite('server-side-apply', (test) => {
  test('creates and applies again; fields that are no longer applied are removed', async (k) => {
    expect(
      await k.run('apply --server-side -f -', configMap('a', 'x: one, beta: two')),
    ).toMatchInlineSnapshot(`configmap/a serverside-applied`);
    const created = await k.stored('configmaps/a');
    expect(managers(created)).toEqual(['kubectl Apply']);
    expect(created.metadata.annotations).toBeUndefined();
    expect(
      await k.run('apply --server-side -f -', configMap('a', 'x: one, beta: two')),
    ).toMatchInlineSnapshot(`configmap/a serverside-applied`);
    expect((await k.stored('configmaps/a')).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await k.run('patch cm a --type=merge -p {"data":{"z":"theirs"}}');
    expect(await k.run('apply --server-side -f -', configMap('a', 'x: three'))).toMatchInlineSnapshot(
      `configmap/a serverside-applied`,
    );
    const last = await k.stored('configmaps/a');
    expect(last.data).toEqual({ x: 'three', z: 'theirs' });
    expect(managers(last)).toEqual(['kubectl Apply', 'kubectl-patch Update']);
    expect(await k.run('get cm a -o yaml --show-managed-fields')).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        x: three
        z: theirs
      kind: ConfigMap
      metadata:
        creationTimestamp: "TIME"
        labels:
          app: web
        managedFields:
        - apiVersion: v1
          fieldsType: FieldsV1
          fieldsV1:
            f:data:
              f:x: {}
            f:metadata:
              f:labels:
                f:app: {}
          manager: kubectl
          operation: Apply
          time: "TIME"
        - apiVersion: v1
          fieldsType: FieldsV1
          fieldsV1:
            f:data:
              f:z: {}
          manager: kubectl-patch
          operation: Update
          time: "TIME"
        name: a
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
    `);
  });

  test('conflicts, and --force-conflicts', async (k) => {
    await k.run('apply --server-side --field-manager=first -f -', configMap('a', 'x: one, beta: two'));
    expect(await k.run('apply --server-side --field-manager=second -f -', configMap('a', 'x: two')))
      .toMatchInlineSnapshot(`
        [stderr]
        error: Apply failed with 1 conflict: conflict with "first": .data.x
        Please review the fields above--they currently have other managers. Here
        are the ways you can resolve this warning:
        * If you intend to manage all of these fields, please re-run the apply
          command with the \`--force-conflicts\` flag.
        * If you do not intend to manage all of the fields, please edit your
          manifest to remove references to the fields that should keep their
          current managers.
        * You may co-own fields by updating your manifest to match the existing
          value; in this case, you'll become the manager if the other manager(s)
          stop managing the field (remove it from their configuration).
        See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
        [exit 1]
      `);
    expect(
      await k.run('apply --server-side --field-manager=second -f -', configMap('a', 'x: two, beta: three')),
    ).toMatchInlineSnapshot(`
      [stderr]
      error: Apply failed with 2 conflicts: conflicts with "first":
      - .data.beta
      - .data.x
      Please review the fields above--they currently have other managers. Here
      are the ways you can resolve this warning:
      * If you intend to manage all of these fields, please re-run the apply
        command with the \`--force-conflicts\` flag.
      * If you do not intend to manage all of the fields, please edit your
        manifest to remove references to the fields that should keep their
        current managers.
      * You may co-own fields by updating your manifest to match the existing
        value; in this case, you'll become the manager if the other manager(s)
        stop managing the field (remove it from their configuration).
      See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
      [exit 1]
    `);
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'one', beta: 'two' });
    expect(
      await k.run(
        'apply --server-side --field-manager=second --force-conflicts -f -',
        configMap('a', 'x: two'),
      ),
    ).toMatchInlineSnapshot(`configmap/a serverside-applied`);
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'two', beta: 'two' });
    expect(
      await k.run('apply --server-side --field-manager=first -f -', configMap('a', 'x: two')),
    ).toMatchInlineSnapshot(`configmap/a serverside-applied`);
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'two' });
    expect(managers(await k.stored('configmaps/a'))).toEqual(['first Apply', 'second Apply']);
  });

  test('a conflict with an update, and one with a number of a scale', async (k) => {
    await k.run('apply --server-side -f -', deployment('web'));
    await k.run('scale deploy web --replicas=3');
    expect(
      managers(await k.stored('deployments/web', 'apps/v1')).filter((each) => /kubectl/.test(each)),
    ).toEqual(['kubectl Apply', 'kubectl Update scale']);
    expect(await k.run('apply --server-side -f -', deployment('web'))).toMatchInlineSnapshot(`
      [stderr]
      error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas
      Please review the fields above--they currently have other managers. Here
      are the ways you can resolve this warning:
      * If you intend to manage all of these fields, please re-run the apply
        command with the \`--force-conflicts\` flag.
      * If you do not intend to manage all of the fields, please edit your
        manifest to remove references to the fields that should keep their
        current managers.
      * You may co-own fields by updating your manifest to match the existing
        value; in this case, you'll become the manager if the other manager(s)
        stop managing the field (remove it from their configuration).
      See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
      [exit 1]
    `);
    await k.run('set image deploy web main=example.com/web:9');
    expect(await k.run('apply --server-side -f -', deployment('web'))).toMatchInlineSnapshot(`
      [stderr]
      error: Apply failed with 2 conflicts: conflicts with "kubectl" with subresource "scale" using apps/v1:
      - .spec.replicas
      conflicts with "kubectl-set" using apps/v1:
      - .spec.template.spec.containers[name="main"].image
      Please review the fields above--they currently have other managers. Here
      are the ways you can resolve this warning:
      * If you intend to manage all of these fields, please re-run the apply
        command with the \`--force-conflicts\` flag.
      * If you do not intend to manage all of the fields, please edit your
        manifest to remove references to the fields that should keep their
        current managers.
      * You may co-own fields by updating your manifest to match the existing
        value; in this case, you'll become the manager if the other manager(s)
        stop managing the field (remove it from their configuration).
      See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
      [exit 1]
    `);
    expect(
      await k.run('apply --server-side --force-conflicts -f -', deployment('web')),
    ).toMatchInlineSnapshot(`deployment.apps/web serverside-applied`);
    expect((await k.stored('deployments/web', 'apps/v1')).spec).toMatchObject({ replicas: 0 });
  });

  test('lists with keys are shared between managers', async (k) => {
    await k.run('apply --server-side -f -', deployment('web'));
    const theirs = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  template:
    spec:
      containers:
        - name: main
          env: [{ name: SIZE, value: big }]
`;
    expect(await k.run('apply --server-side --field-manager=sizes -f -', theirs)).toMatchInlineSnapshot(
      `deployment.apps/web serverside-applied`,
    );
    expect(
      await k.run('apply --server-side -f -', deployment('web').replace('value: blue', 'value: red')),
    ).toMatchInlineSnapshot(`deployment.apps/web serverside-applied`);
    expect((await k.stored('deployments/web', 'apps/v1')).spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              name: 'main',
              env: [
                { name: 'COLOUR', value: 'red' },
                { name: 'SIZE', value: 'big' },
              ],
            },
            { name: 'proxy' },
          ],
        },
      },
    });
    expect(
      await k.run(
        'apply --server-side --field-manager=sizes -f -',
        theirs.replace('{ name: SIZE, value: big }', ''),
      ),
    ).toMatchInlineSnapshot(`deployment.apps/web serverside-applied`);
    expect(
      await k.run('get deploy web -o jsonpath={.spec.template.spec.containers[0].env[*].name}'),
    ).toMatchInlineSnapshot(`COLOUR`);
  });

  test('custom resources', async (k) => {
    expect(await k.run('apply --server-side -f -', cloneSet('web'))).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web serverside-applied`,
    );
    expect(await k.run('apply --server-side -f -', cloneSet('web', '  pausd: true\n')))
      .toMatchInlineSnapshot(`
        [stderr]
        Error from server: failed to create typed patch object (NAMESPACE/web; apps.kruise.io/v1alpha1, Kind=CloneSet): .spec.pausd: field not declared in schema
        [exit 1]
      `);
    const conflict = cloneSet('web').replace('replicas: 0', 'replicas: 5');
    expect(await k.run('apply --server-side --field-manager=other -f -', conflict)).toMatchInlineSnapshot(`
      [stderr]
      error: Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas
      Please review the fields above--they currently have other managers. Here
      are the ways you can resolve this warning:
      * If you intend to manage all of these fields, please re-run the apply
        command with the \`--force-conflicts\` flag.
      * If you do not intend to manage all of the fields, please edit your
        manifest to remove references to the fields that should keep their
        current managers.
      * You may co-own fields by updating your manifest to match the existing
        value; in this case, you'll become the manager if the other manager(s)
        stop managing the field (remove it from their configuration).
      See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
      [exit 1]
    `);
  });

  test(
    'the status of a pod as a subresource',
    async (k) => {
      await k.run('apply --server-side -f -', pod('p'));
      const status =
        'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nstatus: { phase: Running, message: hello }\n';
      expect(
        await k.run('apply --server-side --subresource=status --field-manager=let -f -', status),
      ).toMatchInlineSnapshot(`pod/p serverside-applied`);
      const stored = await k.stored('pods/p');
      expect(stored.status).toMatchObject({ phase: 'Running', message: 'hello' });
      expect(managers(stored)).toEqual(['kubectl Apply', 'let Apply status']);
    },
    { fromMinor: 32 },
  );

  test('migration from client-side apply, and the dry run', async (k) => {
    await k.run('apply -f -', configMap('a', 'x: one, beta: two'));
    expect(await k.run('apply --server-side --dry-run=server -f -', configMap('a', 'x: three')))
      .toMatchInlineSnapshot(`
        configmap/a serverside-applied (server dry run)
        [stderr]
        Warning: failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .metadata.annotations.kubectl.kubernetes.io/last-applied-configuration
      `);
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'one', beta: 'two' });
    expect(await k.run('apply --server-side -f -', configMap('a', 'x: three'))).toMatchInlineSnapshot(
      `configmap/a serverside-applied`,
    );
    const moved = await k.stored('configmaps/a');
    expect(moved.data).toEqual({ x: 'three' });
    expect(managers(moved)).toEqual(['kubectl Apply', 'kubectl-last-applied Apply']);
    expect(await k.run('apply -f -', configMap('a', 'x: four'))).toMatchInlineSnapshot(
      `configmap/a configured`,
    );
  });

  test('invalid requests', async (k) => {
    expect(
      await k.run('apply --server-side -f -', deployment('web').replace('replicas: 0', 'replicas: many')),
    ).toMatchInlineSnapshot(`
      [stderr]
      Error from server: failed to create typed patch object (NAMESPACE/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string
      [exit 1]
    `);
    expect(await k.run('apply --server-side -f -', deployment('web').replace('replicas: 0', 'replicas: -1')))
      .toMatchInlineSnapshot(`
        [stderr]
        The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0
        [exit 1]
      `);
    expect(await k.run('apply --server-side -f -', deployment('web').replace('paused: true', 'pausd: true')))
      .toMatchInlineSnapshot(`
        [stderr]
        Error from server: failed to create typed patch object (NAMESPACE/web; apps/v1, Kind=Deployment): .spec.pausd: field not declared in schema
        [exit 1]
      `);
    expect(
      await k.run(
        'apply --server-side --validate=warn -f -',
        deployment('web').replace('paused: true', 'pausd: true'),
      ),
    ).toMatchInlineSnapshot(`
      [stderr]
      Error from server: failed to create typed patch object (NAMESPACE/web; apps/v1, Kind=Deployment): .spec.pausd: field not declared in schema
      [exit 1]
    `);
    expect(
      await k.run('apply --server-side -f -', pod('p', '    - name: main\n      image: example.com/two:1\n')),
    ).toMatchInlineSnapshot(`
      [stderr]
      Error from server: failed to create typed patch object (NAMESPACE/p; /v1, Kind=Pod): .spec.containers: duplicate entries for key [name="main"]
      [exit 1]
    `);
  });
});
