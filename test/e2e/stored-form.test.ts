import { expect } from 'vitest';
import { suite, type StoredObject } from './suite.ts';

const container = (extra = '') => `
        - name: main
          image: example.com/web:1
${extra.replaceAll(/^/gm, '          ')}`;

const workload = (spec: string, pod: string, main = '') => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 0
${spec}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
${pod}
      containers:${container(main)}
`;

const podOf = (spec: string, main = '') => `apiVersion: v1
kind: Pod
metadata: { name: a }
spec:
      nodeName: nowhere
${spec}
      containers:${container(main)}
`;

/** What kubectl owns of a spec that it created. */
function owned({ metadata }: StoredObject): unknown {
  const found = metadata.managedFields?.find(({ manager }) => manager.startsWith('kubectl-c'));
  return (found?.fieldsV1 as Record<string, unknown> | undefined)?.['f:spec'];
}

suite('stored-form', (test) => {
  test('insignificant zeros are omitted, and have no owner', async (k) => {
    const manifest = workload(
      '  paused: false\n  minReadySeconds: 0\n  revisionHistoryLimit: 0',
      '      hostNetwork: false\n      nodeName: ""\n      shareProcessNamespace: false\n      tolerations: []\n      volumes: [{ name: v, emptyDir: {} }, { name: m, emptyDir: { medium: "" } }]',
      'stdin: false\ncommand: []\nenv: [{ name: EMPTY, value: "" }]',
    );
    expect(await k.run('create -f -', manifest)).toBe('deployment.apps/web created');
    const web = await k.stored('deployments/web', 'apps/v1');
    expect(web.spec).not.toHaveProperty('paused');
    expect(web.spec).not.toHaveProperty('minReadySeconds');
    expect(web.spec).toMatchObject({ replicas: 0, revisionHistoryLimit: 0 });
    const { spec } = web.spec['template'] as { spec: Record<string, unknown> };
    expect(Object.keys(spec).sort()).toEqual([
      'containers',
      'dnsPolicy',
      'restartPolicy',
      'schedulerName',
      'securityContext',
      'shareProcessNamespace',
      'terminationGracePeriodSeconds',
      'volumes',
    ]);
    expect(spec['volumes']).toEqual([
      { name: 'v', emptyDir: {} },
      { name: 'm', emptyDir: {} },
    ]);
    expect(spec['containers']).toEqual([
      {
        name: 'main',
        image: 'example.com/web:1',
        env: [{ name: 'EMPTY' }],
        resources: {},
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ]);
    expect(Object.keys(owned(web) as object)).toEqual([
      'f:progressDeadlineSeconds',
      'f:replicas',
      'f:revisionHistoryLimit',
      'f:selector',
      'f:strategy',
      'f:template',
    ]);
    expect(owned(web)).toMatchObject({
      'f:template': {
        'f:spec': {
          'f:containers': {
            'k:{"name":"main"}': {
              'f:env': { '.': {}, 'k:{"name":"EMPTY"}': { '.': {}, 'f:name': {} } },
            },
          },
        },
      },
    });
  });

  test('quantities of a pod are canonical; a significant zero stays', async (k) => {
    const manifest = podOf(
      '      terminationGracePeriodSeconds: 0\n      hostNetwork: false\n      volumes: [{ name: v, emptyDir: { sizeLimit: 2048Mi } }]',
      'resources: { limits: { cpu: 1000m, memory: 1024Mi }, requests: { cpu: 0.5, memory: 500000k } }',
    );
    expect(await k.run('create -f -', manifest)).toBe('pod/a created');
    const a = await k.stored('pods/a');
    expect(a.spec).toMatchObject({
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '2Gi' } }],
      containers: [
        { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '500M' } } },
      ],
    });
    expect(a.spec).not.toHaveProperty('hostNetwork');
    expect(owned(a)).not.toHaveProperty('f:hostNetwork');
    expect(owned(a)).toHaveProperty('f:terminationGracePeriodSeconds');
  });

  test('a Service and a disruption budget', async (k) => {
    const manifest = `apiVersion: v1
kind: Service
metadata: { name: web, labels: {}, annotations: null }
spec:
  clusterIP: ""
  publishNotReadyAddresses: false
  externalIPs: []
  selector: { app: web }
  ports: [{ name: "", port: 80, nodePort: 0, targetPort: 0 }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec:
  minAvailable: 0
  selector: { matchLabels: {} }
`;
    expect(await k.run('create -f -', manifest)).toMatchInlineSnapshot(`
      service/web created
      poddisruptionbudget.policy/web created
    `);
    const service = await k.stored('services/web');
    expect(service.spec).not.toHaveProperty('publishNotReadyAddresses');
    expect(service.spec).not.toHaveProperty('externalIPs');
    expect(service.spec['ports']).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
    expect(service.status).toEqual({ loadBalancer: {} });
    expect(owned(service)).toEqual({
      'f:internalTrafficPolicy': {},
      'f:ports': {
        '.': {},
        'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} },
      },
      'f:selector': {},
      'f:sessionAffinity': {},
      'f:type': {},
    });
    const budget = await k.stored('poddisruptionbudgets/web', 'policy/v1');
    expect(budget.spec).toEqual({ minAvailable: 0, selector: {} });
    expect(owned(budget)).toEqual({ 'f:minAvailable': {}, 'f:selector': {} });
  });

  test('a patch with the same values in another form changes nothing', async (k) => {
    await k.run('create -f -', workload('', '', 'resources: { limits: { cpu: 1, memory: 1Gi } }'));
    const before = await k.stored('deployments/web', 'apps/v1');
    const resources = '{"limits":{"cpu":"1000m","memory":"1024Mi"}}';
    expect(
      await k.run(
        `patch deploy web -p '{"spec":{"paused":false,"template":{"spec":{"hostNetwork":false,"containers":[{"name":"main","resources":${resources}}]}}}}'`,
      ),
    ).toBe('deployment.apps/web patched (no change)');
    expect(
      await k.run(
        `patch deploy web --type=json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/resources","value":${resources}},{"op":"add","path":"/spec/paused","value":false}]'`,
      ),
    ).toBe('deployment.apps/web patched (no change)');
    expect(await k.run(`patch deploy web --type=merge -p '{"spec":{"paused":false}}'`)).toBe(
      'deployment.apps/web patched (no change)',
    );
    const after = await k.stored('deployments/web', 'apps/v1');
    expect(after.metadata.generation).toBe(before.metadata.generation);
  });

  test('an applied zero is owned and not stored; the same quantity in another unit is a conflict', async (k) => {
    const config = (amount: string, paused = '') =>
      workload(paused, '', `resources: { limits: { memory: ${amount} } }`);
    const apply = (manager: string, manifest: string) =>
      k.run(`apply --server-side --field-manager=${manager} -f -`, manifest);
    expect(await apply('first', config('1024Mi', '  paused: false'))).toBe(
      'deployment.apps/web serverside-applied',
    );
    const made = await k.stored('deployments/web', 'apps/v1');
    expect(made.spec).not.toHaveProperty('paused');
    const entry = ({ metadata }: StoredObject) =>
      metadata.managedFields?.find(({ manager }) => manager === 'first');
    expect(entry(made)?.fieldsV1).toMatchObject({ 'f:spec': { 'f:paused': {} } });
    // Times are told in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await apply('first', config('1024Mi', '  paused: false'));
    expect(entry(await k.stored('deployments/web', 'apps/v1'))).toEqual(entry(made));
    expect((await apply('second', config('1024Mi'))).split('\n').slice(0, 2).join('\n'))
      .toMatchInlineSnapshot(`
        [stderr]
        error: Apply failed with 1 conflict: conflict with "first": .spec.template.spec.containers[name="main"].resources.limits.memory
      `);
    expect(await apply('second', config('1Gi'))).toBe('deployment.apps/web serverside-applied');
  });

  test('fields that only the server sets are rejected', async (k) => {
    await k.run('create configmap a');
    const patch = (body: string, type = 'merge') => k.run(`patch cm a --type=${type} -p '${body}'`);
    expect(await patch('{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}}')).toMatchInlineSnapshot(`
      [stderr]
      The ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "TIME": field is immutable
      [exit 1]
    `);
    expect(await patch('{"metadata":{"deletionGracePeriodSeconds":0}}', 'strategic')).toMatchInlineSnapshot(`
      [stderr]
      The ConfigMap "a" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable
      [exit 1]
    `);
    expect(await patch('{"metadata":{"uid":"another"}}')).toMatchInlineSnapshot(`
      [stderr]
      The ConfigMap "a" is invalid: metadata.uid: Invalid value: "another": field is immutable
      [exit 1]
    `);
  });

  test('a strategic merge patch of the wrong type', async (k) => {
    await k.run('create -f -', workload('', ''));
    const patch = (body: string) => k.run(`patch deploy web -p '${body}'`);
    expect(await patch('{"spec":{"replicas":"x"}}')).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32
      [exit 1]
    `);
    expect(await patch('{"spec":{"template":{"spec":{"containers":"x"}}}}')).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: patch: Invalid value: "map[spec:map[template:map[spec:map[containers:x]]]]": cannot restore slice from string
      [exit 1]
    `);
    expect(await patch('{"spec":[]}')).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: patch: Invalid value: "map[spec:[]]": cannot restore struct from: slice
      [exit 1]
    `);
    expect(await patch('{"metadata":{"labels":{"a":1}}}')).toMatchInlineSnapshot(`
      [stderr]
      The request is invalid: patch: Invalid value: "map[metadata:map[labels:map[a:1]]]": cannot convert int64 to string
      [exit 1]
    `);
  });
});
