import { expect } from 'vitest';
import { cloneSet, configMap, deployment, documents } from './manifests.ts';
import { suite } from './suite.ts';

/** The lines of a difference, without the names of the compared files. */
const changes = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^(?:[-+](?![-+])|\[)/.test(line))
    .join('\n');

suite('apply', (test) => {
  test('creates, leaves unchanged, configures, and removes fields that are no longer applied', async (k) => {
    expect(await k.run('apply -f -', configMap('a', 'x: one, beta: two'))).toMatchInlineSnapshot(
      `configmap/a created`,
    );
    expect(await k.run('apply -f -', configMap('a', 'x: one, beta: two'))).toMatchInlineSnapshot(
      `configmap/a unchanged`,
    );
    await k.run('patch cm a --type=merge -p {"data":{"z":"theirs"}}');
    expect(await k.run('apply -f -', configMap('a', 'x: three'))).toMatchInlineSnapshot(
      `configmap/a configured`,
    );
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'three', z: 'theirs' });
    expect(await k.run('apply view-last-applied cm a')).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        x: three
      kind: ConfigMap
      metadata:
        annotations: {}
        labels:
          app: web
        name: a
        namespace: NAMESPACE
    `);
    expect(await k.run('apply -f - -o name', configMap('a', 'x: four'))).toMatchInlineSnapshot(`configmap/a`);
  });

  test('merges lists of built-in kinds by their keys', async (k) => {
    expect(await k.run('apply -f -', deployment('web'))).toMatchInlineSnapshot(`deployment.apps/web created`);
    await k.run('scale deploy web --replicas=3');
    await k.run('set image deploy web proxy=example.com/proxy:2');
    const next = deployment('web')
      .replace('  replicas: 0\n', '')
      .replace('value: blue', 'value: green')
      .replace(
        '            - name: COLOUR',
        '            - name: SIZE\n              value: big\n            - name: COLOUR',
      );
    expect(
      await k.run(
        'apply -f -',
        next.replace(
          '          image: example.com/proxy:1\n',
          '          image: example.com/proxy:1\n          command: [serve]\n',
        ),
      ),
    ).toMatchInlineSnapshot(`deployment.apps/web configured`);
    const { spec, metadata } = await k.stored('deployments/web', 'apps/v1');
    expect(spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { name: 'main', env: [{ name: 'SIZE' }, { name: 'COLOUR', value: 'green' }] },
            { name: 'proxy', image: 'example.com/proxy:1', command: ['serve'] },
          ],
        },
      },
    });
    // The number was in the manifest before and is not any more: it falls back to its default.
    expect(spec['replicas']).toBe(1);
    expect(metadata.generation).toBe(4);
  });

  test('a default of one version of a custom resource is no change when it is applied again', async (k) => {
    const beta = cloneSet('web').replace('v1alpha1', 'v1beta1');
    for (const [manifest, type] of [
      [cloneSet('web'), 'ReCreate'],
      [beta, 'RollingUpdate'],
    ] as const) {
      expect(await k.run('apply -f -', manifest)).toBe('cloneset.apps.kruise.io/web created');
      expect(await k.run('apply -f -', manifest)).toBe('cloneset.apps.kruise.io/web unchanged');
      expect(await k.run('diff -f -', manifest)).toBe('');
      expect(await k.run('get clone web -o jsonpath={.spec.updateStrategy.type}')).toBe(type);
      await k.run('delete clone web');
    }
  });

  test('custom resources: three-way merge, lists replaced as a whole', async (k) => {
    expect(await k.run('apply -f -', cloneSet('web'))).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web created`,
    );
    expect(await k.run('apply -f -', cloneSet('web', '  minReadySeconds: 5\n'))).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web configured`,
    );
    expect(await k.run('apply -f -', cloneSet('web').replace('web:1', 'web:2'))).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web configured`,
    );
    const { spec, metadata } = await k.stored('clonesets/web', 'apps.kruise.io/v1alpha1');
    expect(spec['minReadySeconds'] ?? 0).toBe(0);
    expect(metadata.generation).toBe(3);
    expect(spec).toMatchObject({
      template: {
        spec: { containers: [{ image: 'example.com/web:2' }, { image: 'example.com/proxy:1' }] },
      },
    });
  });

  test('folders, kustomizations, several documents', async (k) => {
    k.file('all/a.yaml', configMap('a'));
    k.file('all/deep/b.yaml', configMap('b'));
    k.file('all/note.txt', 'no manifest');
    expect(await k.run('apply -f all')).toMatchInlineSnapshot(`configmap/a created`);
    expect(await k.run('apply -R -f all')).toMatchInlineSnapshot(`
      configmap/a unchanged
      configmap/b created
    `);
    k.file('k/kustomization.yaml', 'namePrefix: my-\nresources: [c.yaml]\n');
    k.file('k/c.yaml', configMap('c'));
    expect(await k.run('apply -k k')).toMatchInlineSnapshot(`configmap/my-c created`);
    expect(await k.run('apply -f -', documents(configMap('a'), configMap('d')))).toMatchInlineSnapshot(`
      configmap/a unchanged
      configmap/d created
    `);
    expect(await k.run('get cm -l app=web -o name')).toMatchInlineSnapshot(`
      configmap/a
      configmap/b
      configmap/d
      configmap/my-c
    `);
    expect(await k.run('delete -k k')).toMatchInlineSnapshot(`configmap "my-c" deleted`);
  });

  test('diff tells what an apply would change, and changes nothing', async (k) => {
    expect(changes(await k.run('diff -f -', configMap('a')))).toMatchInlineSnapshot(`
      +apiVersion: v1
      +data:
      +   colour: blue
      +kind: ConfigMap
      +metadata:
      +   creationTimestamp: "TIME"
      +   labels:
      +   app: web
      +   name: a
      +   namespace: NAMESPACE
      +   uid: UID
      [exit 1]
    `);
    await k.run('apply -f -', configMap('a', 'x: one, beta: two'));
    expect(await k.run('diff -f -', configMap('a', 'x: one, beta: two'))).toMatchInlineSnapshot(``);
    expect(changes(await k.run('diff -f -', configMap('a', 'x: three')))).toMatchInlineSnapshot(`
      -   beta: two
      -   x: one
      +   x: three
      [exit 1]
    `);
    expect(changes(await k.run('diff --server-side -f - --field-manager=other', configMap('a', 'x: three'))))
      .toMatchInlineSnapshot(`
        [stderr]
        [exit 2]
      `);
    expect((await k.stored('configmaps/a')).data).toEqual({ x: 'one', beta: 'two' });
  });

  test('dry runs on the client and on the server', async (k) => {
    expect(await k.run('apply --dry-run=client -f -', configMap('a'))).toMatchInlineSnapshot(
      `configmap/a created (dry run)`,
    );
    expect(await k.run('apply --dry-run=server -f -', configMap('a'))).toMatchInlineSnapshot(
      `configmap/a created (server dry run)`,
    );
    expect(await k.run('get cm a')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "a" not found
      [exit 1]
    `);
    await k.run('apply -f -', configMap('a'));
    const before = (await k.stored('configmaps/a')).metadata.resourceVersion;
    expect(await k.run('apply --dry-run=server -f -', configMap('a', 'x: other'))).toMatchInlineSnapshot(
      `configmap/a configured (server dry run)`,
    );
    expect((await k.stored('configmaps/a')).metadata.resourceVersion).toBe(before);
  });

  test('validation: strict, warn, ignore', async (k) => {
    const wrong = deployment('web').replace('  paused: true\n', '  pausd: true\n  paused: true\n');
    expect(await k.run('apply -f -', wrong)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.pausd"
      [exit 1]
    `);
    expect(await k.run('apply --validate=strict -f -', wrong)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.pausd"
      [exit 1]
    `);
    expect(await k.run('apply --validate=warn -f -', wrong)).toMatchInlineSnapshot(`
      deployment.apps/web created
      [stderr]
      Warning: unknown field "spec.pausd"
    `);
    expect(
      await k.run('create --validate=ignore --dry-run=server -f -', wrong.replace('name: web', 'name: x')),
    ).toMatchInlineSnapshot(`deployment.apps/x created (server dry run)`);
    expect(await k.run('create --validate=warn --dry-run=server -f -', wrong.replace('name: web', 'name: x')))
      .toMatchInlineSnapshot(`
        deployment.apps/x created (server dry run)
        [stderr]
        Warning: unknown field "spec.pausd"
      `);
    const unknown = cloneSet('web', '  pausd: true\n  updateStrategy: { typ: InPlaceOnly }\n');
    expect(await k.run('apply -f -', unknown)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): error when creating "STDIN": CloneSet in version "v1alpha1" cannot be handled as a CloneSet: strict decoding error: unknown field "spec.pausd", unknown field "spec.updateStrategy.typ"
      [exit 1]
    `);
    expect(await k.run('apply --validate=warn -f -', unknown)).toMatchInlineSnapshot(`
      cloneset.apps.kruise.io/web created
      [stderr]
      Warning: unknown field "spec.pausd"
      Warning: unknown field "spec.updateStrategy.typ"
    `);
    expect(
      await k.run('get clone web -o jsonpath={.spec.pausd}{.spec.updateStrategy.typ}'),
    ).toMatchInlineSnapshot(``);
    expect(
      await k.run(
        'create -f -',
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":{"x":"1","x":"2"}}',
      ),
    ).toMatchInlineSnapshot(`configmap/d created`);
  });

  test('all errors of an invalid object at once', async (k) => {
    const invalid = deployment('web')
      .replace('replicas: 0', 'replicas: -1')
      .replace('labels: { app: web }\n    spec:', 'labels: { app: other }\n    spec:')
      .replace('          image: example.com/proxy:1\n', '');
    expect(await k.run('apply -f -', invalid)).toMatchInlineSnapshot(`
      [stderr]
      The Deployment "web" is invalid:
      * spec.replicas: Invalid value: -1: must be greater than or equal to 0
      * spec.template.metadata.labels: Invalid value: {"app":"other"}: \`selector\` does not match template \`labels\`
      * spec.template.spec.containers[1].image: Required value
      [exit 1]
    `);
    expect(await k.run('apply -f -', deployment('web').replace('replicas: 0', 'replicas: many')))
      .toMatchInlineSnapshot(`
        [stderr]
        Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32
        [exit 1]
      `);
    expect(await k.run('apply -f -', cloneSet('web', '  replicas: -1\n').replace('  replicas: 0\n', '')))
      .toMatchInlineSnapshot(`
        [stderr]
        The CloneSet "web" is invalid:
        * .spec.replicas: Invalid value: -1: should be a non-negative integer
        * spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0
        [exit 1]
      `);
    expect(await k.run('apply -f -', configMap('Not_A_Name'))).toMatchInlineSnapshot(`
      [stderr]
      The ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
      [exit 1]
    `);
    await k.run('apply -f -', deployment('web'));
    expect(await k.run('apply -f -', deployment('web').replaceAll('app: web', 'app: other')))
      .toMatchInlineSnapshot(`
        [stderr]
        The Deployment "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable
        [exit 1]
      `);
  });

  test('prune removes objects that are no longer applied', async (k) => {
    await k.run('apply -f -', documents(configMap('a'), configMap('b')));
    await k.run('create -f -', configMap('c'));
    expect(await k.run('apply --prune -l app=web --prune-allowlist=core/v1/ConfigMap -f -', configMap('a')))
      .toMatchInlineSnapshot(`
        configmap/a unchanged
        configmap/b pruned
      `);
    expect(await k.run('get cm -l app=web -o name')).toMatchInlineSnapshot(`
      configmap/a
      configmap/c
    `);
  });

  test('objects that were not applied before, another namespace, bad files', async (k) => {
    await k.run('create -f -', configMap('a'));
    expect(await k.run('apply -f -', configMap('a', 'x: other'))).toMatchInlineSnapshot(`
      configmap/a configured
      [stderr]
      Warning: resource configmaps/a is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.
    `);
    expect(
      await k.run('apply -f -', configMap('a').replace('metadata:', 'metadata:\n  namespace: elsewhere')),
    ).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): error when creating "STDIN": namespaces "elsewhere" not found
      [exit 1]
    `);
    expect(await k.run('apply -f - -n nosuchnamespace', configMap('a'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): error when creating "STDIN": namespaces "nosuchnamespace" not found
      [exit 1]
    `);
    expect(await k.run('apply -f -', 'apiVersion: v1\nkind: Nothing\nmetadata: { name: a }\n'))
      .toMatchInlineSnapshot(`
        [stderr]
        error: resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "Nothing" in version "v1"
        ensure CRDs are installed first
        [exit 1]
      `);
    expect(await k.run('apply -f -', 'kind: ConfigMap\nmetadata: { name: a }\n')).toMatchInlineSnapshot(`
      [stderr]
      error: error validating "STDIN": error validating data: apiVersion not set; if you choose to ignore these errors, turn validation off with --validate=false
      [exit 1]
    `);
    expect(await k.run('apply -f nosuch.yaml')).toMatchInlineSnapshot(`
      [stderr]
      error: the path "nosuch.yaml" does not exist
      [exit 1]
    `);
    expect(await k.run('apply set-last-applied -f -', configMap('a', 'x: z'))).toMatchInlineSnapshot(
      `configmap/a configured`,
    );
  });
});
