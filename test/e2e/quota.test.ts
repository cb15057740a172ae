import { expect } from 'vitest';
import { documents, pod as boundPod } from './manifests.ts';
import { suite, type Kubectl } from './suite.ts';

/** Waits until a quota's status has this text: controllers update it later. */
async function untilUsed(k: Kubectl, name: string, used: Record<string, string>): Promise<unknown> {
  let described: unknown;
  for (let tries = 0; tries < 100; tries += 1) {
    const { status } = await k.stored(`resourcequotas/${name}`);
    described = status['used'];
    const found = (described ?? {}) as Record<string, string>;
    if (Object.entries(used).every(([resource, amount]) => found[resource] === amount)) return described;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return described;
}

/** A pod that waits for a node: a pod bound to a missing node may be garbage-collected at any time. */
const pod = (name: string, spec = '') => boundPod(name, spec).replace('  nodeName: nowhere\n', '');
const sized = (name: string, resources: string) => pod(name, `      resources: ${resources}\n`);
const small = '{ requests: { cpu: 100m, memory: 64Mi }, limits: { memory: 128Mi } }';

const claim = (name: string, size: string) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name} }
spec: { storageClassName: none, accessModes: [ReadWriteOnce], resources: { requests: { storage: ${size} } } }
`;

const ranges = `apiVersion: v1
kind: LimitRange
metadata: { name: sizes }
spec:
  limits:
    - type: Container
      default: { cpu: 500m, memory: 128Mi }
      defaultRequest: { cpu: 250m }
      min: { cpu: 100m }
      max: { cpu: '1' }
      maxLimitRequestRatio: { cpu: '3' }
    - { type: Pod, max: { cpu: 1200m } }
    - { type: PersistentVolumeClaim, min: { storage: 1Gi }, max: { storage: 2Gi } }
`;

suite('quota', (test) => {
  test('a quota is created and described, and rejects what exceeds it', async (k) => {
    expect(
      await k.run('create quota q --hard=pods=2,requests.cpu=250m,limits.memory=1Gi,services=1,secrets=1'),
    ).toMatchInlineSnapshot(`resourcequota/q created`);
    await untilUsed(k, 'q', { pods: '0' });
    expect(await k.run('get quota')).toMatchInlineSnapshot(`
      NAME   REQUEST   LIMIT   AGE
      q   pods: 0/2, requests.cpu: 0/250m, secrets: 0/1, services: 0/1   limits.memory: 0/1Gi   AGE
    `);
    expect(await k.run('create -f -', pod('silent'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "silent" is forbidden: failed quota: q: must specify limits.memory for: main; requests.cpu for: main
      [exit 1]
    `);
    expect(await k.run('create -f - --dry-run=server', sized('a', small))).toMatchInlineSnapshot(
      `pod/a created (server dry run)`,
    );
    expect(await k.run('create -f -', sized('a', small))).toMatchInlineSnapshot(`pod/a created`);
    const large = '{ requests: { cpu: 200m }, limits: { memory: 1Gi } }';
    expect(await k.run('create -f -', sized('b', large))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,requests.cpu=200m, used: limits.memory=128Mi,requests.cpu=100m, limited: limits.memory=1Gi,requests.cpu=250m
      [exit 1]
    `);
    expect(await k.run('apply --server-side -f -', sized('b', large))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): pods "b" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,requests.cpu=200m, used: limits.memory=128Mi,requests.cpu=100m, limited: limits.memory=1Gi,requests.cpu=250m
      [exit 1]
    `);
    expect(await k.run('create -f -', sized('b', small))).toMatchInlineSnapshot(`pod/b created`);
    expect(await k.run('create -f -', sized('c', small))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "c" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=100m, used: pods=2,requests.cpu=200m, limited: pods=2,requests.cpu=250m
      [exit 1]
    `);
    expect(await k.run('create secret generic one')).toMatchInlineSnapshot(`secret/one created`);
    expect(await k.run('create secret generic two')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create secret secrets "two" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1
      [exit 1]
    `);
    expect(await k.run('create service nodeport one --tcp=80')).toMatchInlineSnapshot(`service/one created`);
    expect(await k.run('create service nodeport two --tcp=80')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create NodePort service: services "two" is forbidden: exceeded quota: q, requested: services=1, used: services=1, limited: services=1
      [exit 1]
    `);
    expect(await k.run('describe quota q')).toMatchInlineSnapshot(`
      Name:   q
      Namespace:   NAMESPACE
      Resource   Used   Hard
      --------   ----   ----
      limits.memory   256Mi   1Gi
      pods   2   2
      requests.cpu   AGE   AGE
      secrets   1   1
      services   1   1
    `);
    await k.run('delete pod a --force');
    await k.run('delete service one');
    expect(await untilUsed(k, 'q', { pods: '1', services: '0' })).toEqual({
      'limits.memory': '128Mi',
      pods: '1',
      'requests.cpu': '100m',
      secrets: '1',
      services: '0',
    });
    const { metadata } = await k.stored('resourcequotas/q');
    expect(metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]).sort()).toEqual([
      ['kube-apiserver', 'status'],
      ['kube-controller-manager', 'status'],
      ['kubectl-create', undefined],
    ]);
  });

  test('a create that fails with AlreadyExists is charged to the quota all the same', async (k) => {
    await k.run('create quota q --hard=pods=3');
    await untilUsed(k, 'q', { pods: '0' });
    await k.run('create -f -', pod('a'));
    expect(await k.run('create -f -', pod('a'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (AlreadyExists): error when creating "STDIN": pods "a" already exists
      [exit 1]
    `);
    expect(await untilUsed(k, 'q', {})).toEqual({ pods: '2' });
    await k.run('create -f -', pod('b'));
    expect(await k.run('create -f -', pod('a'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3
      [exit 1]
    `);
    await k.run('delete pod b --force');
    expect(await untilUsed(k, 'q', { pods: '1' })).toEqual({ pods: '1' });
  });

  test('a finished pod uses no resources, but is counted', async (k) => {
    await k.run('create quota q --hard=pods=1,count/pods=2,cpu=1');
    await untilUsed(k, 'q', { pods: '0' });
    const limited = '{ limits: { cpu: 1, memory: 64Mi } }';
    await k.run('create -f -', sized('a', limited));
    expect(await untilUsed(k, 'q', { pods: '1' })).toEqual({ 'count/pods': '1', cpu: '1', pods: '1' });
    await k.setStatus('pods/a', { phase: 'Succeeded' });
    expect(await untilUsed(k, 'q', { pods: '0' })).toEqual({ 'count/pods': '1', cpu: '0', pods: '0' });
    expect(await k.run('create -f -', sized('b', limited))).toMatchInlineSnapshot(`pod/b created`);
    expect(await k.run('create -f -', sized('c', limited))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "c" is forbidden: exceeded quota: q, requested: count/pods=1,cpu=1,pods=1, used: count/pods=2,cpu=1,pods=1, limited: count/pods=2,cpu=1,pods=1
      [exit 1]
    `);
  });

  test('scopes select the pods that count', async (k) => {
    expect(await k.run('create quota bad --hard=configmaps=1 --scopes=Terminating')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create quota: ResourceQuota "bad" is invalid: spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource
      [exit 1]
    `);
    expect(await k.run('create quota bad --hard=pods=1 --scopes=BestEffort,NotBestEffort'))
      .toMatchInlineSnapshot(`
      [stderr]
      error: failed to create quota: ResourceQuota "bad" is invalid: spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes
      [exit 1]
    `);
    await k.run('create quota ending --hard=pods=0 --scopes=Terminating');
    await k.run('create quota modest --hard=pods=1 --scopes=BestEffort,NotTerminating');
    await untilUsed(k, 'ending', { pods: '0' });
    await untilUsed(k, 'modest', { pods: '0' });
    expect(await k.run('create -f -', pod('a').replace('spec:', 'spec:\n  activeDeadlineSeconds: 10')))
      .toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "a" is forbidden: exceeded quota: ending, requested: pods=1, used: pods=0, limited: pods=0
      [exit 1]
    `);
    expect(await k.run('create -f -', documents(pod('a'), pod('b'), sized('c', small))))
      .toMatchInlineSnapshot(`
      pod/a created
      pod/c created
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: exceeded quota: modest, requested: pods=1, used: pods=1, limited: pods=1
      [exit 1]
    `);
    expect(await k.run('describe quota modest')).toMatchInlineSnapshot(`
      Name:   modest
      Namespace:   NAMESPACE
      Scopes:   BestEffort, NotTerminating
       * Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.
       * Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.
      Resource   Used   Hard
      --------   ----   ----
      pods   1   1
    `);
  });

  test('objects of any kind are counted, claims by their size too', async (k) => {
    await k.run(
      'create quota q --hard=count/deployments.apps=1,count/clonesets.apps.kruise.io=0,persistentvolumeclaims=2,requests.storage=3Gi',
    );
    await untilUsed(k, 'q', { persistentvolumeclaims: '0' });
    expect(await k.run('create deployment one --image=a --replicas=0')).toMatchInlineSnapshot(
      `deployment.apps/one created`,
    );
    expect(await k.run('create deployment two --image=a --replicas=0')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create deployment: deployments.apps "two" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1
      [exit 1]
    `);
    expect(await k.run('create -f -', documents(claim('a', '2048Mi'), claim('b', '2Gi'))))
      .toMatchInlineSnapshot(`
      persistentvolumeclaim/a created
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=2Gi, limited: requests.storage=3Gi
      [exit 1]
    `);
    expect(await k.run('get quota')).toMatchInlineSnapshot(`
      NAME   REQUEST   LIMIT   AGE
      q   count/clonesets.apps.kruise.io: 0/0, count/deployments.apps: 1/1, persistentvolumeclaims: 1/2, requests.storage: 2Gi/3Gi   AGE
    `);
  });

  test(
    'a resize that asks for more counts, and one that asks for less gives nothing back at once',
    async (k) => {
      await k.run('create quota q --hard=requests.cpu=300m');
      await untilUsed(k, 'q', { 'requests.cpu': '0' });
      await k.run('create -f -', sized('a', small));
      const resize = (cpu: string) =>
        k.run(
          `patch pod a --subresource=resize -p '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"${cpu}"}}}]}}'`,
        );
      expect(await resize('400m')).toMatchInlineSnapshot(`
        [stderr]
        Error from server (Forbidden): pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=300m, used: requests.cpu=100m, limited: requests.cpu=300m
        [exit 1]
      `);
      expect(await resize('250m')).toMatchInlineSnapshot(`pod/a patched`);
      expect(await resize('100m')).toMatchInlineSnapshot(`pod/a patched`);
      expect(await untilUsed(k, 'q', {})).toEqual({ 'requests.cpu': '250m' });
    },
    { fromMinor: 32 },
  );

  test('a limit range sets defaults of pods, and rejects what exceeds it', async (k) => {
    expect(await k.run('create -f -', ranges)).toMatchInlineSnapshot(`limitrange/sizes created`);
    const described = await k.run('describe limits sizes');
    // kubectl prints resources in no fixed order.
    expect(described.split('\n').sort().join('\n')).toMatchInlineSnapshot(`
      ----   --------   ---   ---   ---------------   -------------   -----------------------
      Container   cpu   AGE   1   AGE   AGE   3
      Container   memory   -   -   128Mi   128Mi   -
      Name:   sizes
      Namespace:   NAMESPACE
      PersistentVolumeClaim   storage   1Gi   2Gi   -   -   -
      Pod   cpu   -   AGE   -   -   -
      Type   Resource   Min   Max   Default Request   Default Limit   Max Limit/Request Ratio
    `);
    // A server reads limit ranges from its watch cache.
    await new Promise((resolve) => void setTimeout(resolve, 500));
    expect(await k.run('create -f -', pod('a'))).toMatchInlineSnapshot(`pod/a created`);
    const stored = await k.stored('pods/a');
    expect(stored.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main',
    });
    expect(stored.spec['containers']).toMatchObject([
      { resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '250m', memory: '128Mi' } } },
    ]);
    const refused = [
      '{ requests: { cpu: 50m } }',
      '{ requests: { cpu: 100m }, limits: { cpu: 450m } }',
      '{ limits: { cpu: 2 } }',
      '{ requests: { memory: 300Mi } }',
    ];
    const answers: string[] = [];
    for (const resources of refused) answers.push(await k.run('create -f -', sized('b', resources)));
    expect(answers.join('\n')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: [minimum cpu usage per Container is 100m, but request is 50m, cpu max limit to request ratio per Container is 3, but provided ratio is 10.000000]
      [exit 1]
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: cpu max limit to request ratio per Container is 3, but provided ratio is 4.500000
      [exit 1]
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1200m, but limit is 2]
      [exit 1]
      [stderr]
      The Pod "b" is invalid: spec.containers[0].resources.requests: Invalid value: "300Mi": must be less than or equal to memory limit of 128Mi
      [exit 1]
    `);
    expect(await k.run('create -f -', documents(claim('a', '512Mi'), claim('b', '3Gi'), claim('c', '1Gi'))))
      .toMatchInlineSnapshot(`
      persistentvolumeclaim/c created
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "a" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi
      Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "b" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi
      [exit 1]
    `);
    const wrong = ranges.replace('cpu: 500m,', 'cpu: 50m,').replace('name: sizes', 'name: wrong');
    expect(await k.run('create -f -', wrong)).toMatchInlineSnapshot(`
      [stderr]
      The LimitRange "wrong" is invalid:
      * spec.limits[0].defaultRequest[cpu]: Invalid value: "250m": default request value AGE is greater than default limit value AGE
      * spec.limits[0].default[cpu]: Invalid value: "100m": min value AGE is greater than default value AGE
      [exit 1]
    `);
  });
});
