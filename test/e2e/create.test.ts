import { expect } from 'vitest';
import { configMap, deployment, documents } from './manifests.ts';
import { suite } from './suite.ts';

const cronJob = `apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: '0 0 1 1 *'
  suspend: true
  jobTemplate:
    spec:
      suspend: true
      template:
        spec:
          restartPolicy: Never
          containers: [{ name: main, image: example.com/job:1 }]
`;

suite('create', (test) => {
  test('from files; objects that exist', async (k) => {
    expect(await k.run('create -f -', documents(configMap('a'), configMap('b')))).toMatchInlineSnapshot(`
      configmap/a created
      configmap/b created
    `);
    expect(await k.run('create -f -', documents(configMap('a'), configMap('c')))).toMatchInlineSnapshot(`
      configmap/c created
      [stderr]
      Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists
      [exit 1]
    `);
    expect(await k.run('create --save-config -f - -o name', configMap('d'))).toMatchInlineSnapshot(
      `configmap/d`,
    );
    expect((await k.stored('configmaps/d')).metadata.annotations).toHaveProperty([
      'kubectl.kubernetes.io/last-applied-configuration',
    ]);
    const generated = configMap('x').replace('name: x', 'generateName: x-');
    expect((await k.run('create -f -', generated)).replace(/x-\w{5} /, 'x-XXXXX ')).toMatchInlineSnapshot(
      `configmap/x-XXXXX created`,
    );
    expect(await k.run('apply -f -', generated)).toMatchInlineSnapshot(`
      [stderr]
      error: from x-: cannot use generate name with apply
      [exit 1]
    `);
    expect(await k.run('create -f - --dry-run=server', configMap('e'))).toMatchInlineSnapshot(
      `configmap/e created (server dry run)`,
    );
    expect(await k.run('create -f - --dry-run=client -o yaml', configMap('e'))).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        colour: blue
      kind: ConfigMap
      metadata:
        labels:
          app: web
        name: e
        namespace: NAMESPACE
    `);
    expect(
      await k.run('create -f - --dry-run=server -o jsonpath={.metadata.namespace}', configMap('e')),
    ).toMatchInlineSnapshot(`NAMESPACE`);
    expect(await k.run('get cm e')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "e" not found
      [exit 1]
    `);
  });

  test('configmaps, secrets, service accounts, quotas, roles by flags', async (k) => {
    k.file('note.txt', 'hello\n');
    expect(
      await k.run('create configmap a --from-literal=colour=blue --from-file=note.txt'),
    ).toMatchInlineSnapshot(`configmap/a created`);
    expect((await k.stored('configmaps/a')).data).toEqual({ colour: 'blue', 'note.txt': 'hello\n' });
    expect(await k.run('create secret generic s --from-literal=key=value')).toMatchInlineSnapshot(
      `secret/s created`,
    );
    expect((await k.stored('secrets/s')).data).toEqual({ key: 'dmFsdWU=' });
    expect(await k.run('get secret s')).toMatchInlineSnapshot(`
      NAME   TYPE   DATA   AGE
      s   Opaque   1   AGE
    `);
    expect(await k.run('create serviceaccount robot')).toMatchInlineSnapshot(`serviceaccount/robot created`);
    expect(await k.run('create quota q --hard=pods=3,requests.cpu=1')).toMatchInlineSnapshot(
      `resourcequota/q created`,
    );
    expect(
      await k.run('create role reader --verb=get,list --resource=pods,clonesets.apps.kruise.io'),
    ).toMatchInlineSnapshot(`role.rbac.authorization.k8s.io/reader created`);
    expect(
      await k.run('create rolebinding readers --role=reader --user=ann --serviceaccount=default:robot'),
    ).toMatchInlineSnapshot(`rolebinding.rbac.authorization.k8s.io/readers created`);
    expect(await k.run('get rolebinding readers -o wide')).toMatchInlineSnapshot(`
      NAME   ROLE   AGE   USERS   GROUPS   SERVICEACCOUNTS
      readers   Role/reader   AGE   ann   default/robot
    `);
    expect(await k.run('create pdb guard --selector=app=web --min-available=50%')).toMatchInlineSnapshot(
      `poddisruptionbudget.policy/guard created`,
    );
    expect((await k.stored('poddisruptionbudgets/guard', 'policy/v1')).spec).toMatchObject({
      minAvailable: '50%',
      selector: { matchLabels: { app: 'web' } },
    });
  });

  test('namespaces, and objects in the wrong one', async (k) => {
    const name = `${k.namespace}-more`;
    expect(await k.run(`create namespace ${name}`)).toMatchInlineSnapshot(`namespace/NAMESPACE-more created`);
    expect(await k.run(`create namespace ${name}`)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (AlreadyExists): namespaces "NAMESPACE-more" already exists
      [exit 1]
    `);
    expect(await k.run(`get ns ${name}`)).toMatchInlineSnapshot(`
      NAME   STATUS   AGE
      NAMESPACE-more   Active   AGE
    `);
    const elsewhere = configMap('a').replace('metadata:', `metadata:\n  namespace: ${name}`);
    expect(await k.run('create -f -', elsewhere)).toMatchInlineSnapshot(`configmap/a created`);
    expect(await k.run(`create -n ${k.namespace} -f -`, elsewhere)).toMatchInlineSnapshot(`
      [stderr]
      error: the namespace from the provided object "NAMESPACE-more" does not match the namespace "NAMESPACE". You must pass '--namespace=NAMESPACE-more' to perform this operation.
      [exit 1]
    `);
    expect(await k.run('create -n nosuch -f -', configMap('a'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): error when creating "STDIN": namespaces "nosuch" not found
      [exit 1]
    `);
    expect(await k.run(`delete ns ${name} --wait=false`)).toMatchInlineSnapshot(
      `namespace "NAMESPACE-more" deleted`,
    );
    expect(await k.run('create ns Not_A_Name')).toMatchInlineSnapshot(`
      [stderr]
      The Namespace "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',   or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
      [exit 1]
    `);
  });

  test('deployments, jobs, services, pods by flags', async (k) => {
    expect(
      await k.run('create deployment web --image=example.com/web:1 --replicas=0 --port=80'),
    ).toMatchInlineSnapshot(`deployment.apps/web created`);
    expect((await k.stored('deployments/web', 'apps/v1')).spec).toMatchObject({
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
    });
    expect(await k.run('create deployment web --image=example.com/web:1')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create deployment: deployments.apps "web" already exists
      [exit 1]
    `);
    expect(await k.run('expose deploy web --port=80 --target-port=8080')).toMatchInlineSnapshot(
      `service/web exposed`,
    );
    expect((await k.stored('services/web')).spec).toMatchObject({
      selector: { app: 'web' },
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
    });
    expect(await k.run('create service clusterip plain --tcp=5678:8080')).toMatchInlineSnapshot(
      `service/plain created`,
    );
    expect(await k.run('create service externalname out --external-name=example.com')).toMatchInlineSnapshot(
      `service/out created`,
    );
    expect(await k.run('get svc out')).toMatchInlineSnapshot(`
      NAME   TYPE   CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
      out   ExternalName   <none>   example.com   <none>   AGE
    `);
    await k.run('create -f -', cronJob);
    expect(await k.run('create job once --from=cronjob/nightly')).toMatchInlineSnapshot(
      `job.batch/once created`,
    );
    expect((await k.stored('jobs/once', 'batch/v1')).metadata).toMatchObject({
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ kind: 'CronJob', name: 'nightly', controller: true }],
    });
    expect(
      await k.run('create cronjob hourly --image=example.com/job:1 --schedule=@yearly'),
    ).toMatchInlineSnapshot(`cronjob.batch/hourly created`);
    expect(await k.run('get cronjob nightly')).toMatchInlineSnapshot(`
      NAME   SCHEDULE   TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE
      nightly   0 0 1 1 *   <none>   True   0   <none>   AGE
    `);
    const overrides = `'{"spec":{"nodeName":"nowhere"}}'`;
    expect(await k.run(`run tool --image=example.com/tool:1 --overrides=${overrides}`)).toMatchInlineSnapshot(
      `pod/tool created`,
    );
    expect((await k.stored('pods/tool')).metadata.labels).toEqual({ run: 'tool' });
    expect(await k.run('run tool --image=example.com/tool:1')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (AlreadyExists): pods "tool" already exists
      [exit 1]
    `);
  });

  test(
    'an autoscaler by flags',
    async (k) => {
      await k.run('create -f -', deployment('web'));
      expect(await k.run('autoscale deploy web --min=1 --max=3')).toMatchInlineSnapshot(
        `horizontalpodautoscaler.autoscaling/web autoscaled`,
      );
      expect((await k.stored('horizontalpodautoscalers/web', 'autoscaling/v2')).spec).toMatchObject({
        minReplicas: 1,
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
      });
    },
    // Older ones write a version that is not served here.
    { fromMinor: 33 },
  );
});
