import { expect } from 'vitest';
import { runningDeployment as deployment } from './manifests.ts';
import { suite, type Kubectl } from './suite.ts';

const cronJob = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: tidy
spec:
  schedule: '0 0 1 1 *'
  jobTemplate:
    spec:
      template:
        spec:
          terminationGracePeriodSeconds: 1
          restartPolicy: Never
          containers:
            - name: main
              image: example.com/tidy:1
`;

const scripted = `apiVersion: batch/v1
kind: Job
metadata:
  name: sum
spec:
  template:
    metadata:
      annotations:
        sandbox/containers: |
          { "main": { "runSeconds": 1, "log": ["started", "the sum is 42"] },
            "setup": { "runSeconds": 0.2, "log": ["setting up", "set up"] },
            "side": { "log": ["at your side"] } }
    spec:
      restartPolicy: Never
      initContainers:
        - { name: setup, image: setup:1 }
        - { name: side, image: side:1, restartPolicy: Always }
      containers:
        - { name: main, image: sum:1 }
`;

const template = `  selector:
    matchLabels: { app: KIND }
  template:
    metadata:
      labels: { app: KIND }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: example.com/web:1
`;

const statefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  replicas: 2
  serviceName: db
${template.replaceAll('KIND', 'db')}`;

/** On the node of one case only: a cluster may have others. */
const daemonSet = (node: string) => `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
${template.replaceAll('KIND', 'agent')}      nodeSelector: { kubernetes.io/hostname: ${node} }
`;

const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 1
  selector:
    matchLabels: { app: web }
`;

/** The last line: how far the rollout is before depends on the machine. */
const ended = (text: string) => text.split('\n').at(-1);

const follow = async (k: Kubectl, what: string) => ended(await k.run(`rollout status ${what} --timeout=50s`));

suite(
  'workloads',
  (test) => {
    test(
      'a Deployment is rolled out, scaled and undone',
      async (k) => {
        expect(await k.run('create -f -', deployment)).toMatchInlineSnapshot(`deployment.apps/web created`);
        expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
          `deployment "web" successfully rolled out`,
        );
        expect(
          await k.run('get deployment web --no-headers -o custom-columns=A:.status.availableReplicas'),
        ).toBe('2');
        await k.run('set image deployment/web main=example.com/web:2');
        expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
          `deployment "web" successfully rolled out`,
        );
        expect(await k.run('rollout history deployment/web')).toMatchInlineSnapshot(`
        deployment.apps/web
        REVISION   CHANGE-CAUSE
        1   <none>
        2   <none>
      `);
        await k.run('scale deployment/web --replicas=3');
        expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
          `deployment "web" successfully rolled out`,
        );
        expect(await k.run('rollout undo deployment/web')).toMatchInlineSnapshot(
          `deployment.apps/web rolled back`,
        );
        expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
          `deployment "web" successfully rolled out`,
        );
        const columns = 'NAME:.spec.containers[0].image,PHASE:.status.phase';
        const running = `get pods -l app=web --field-selector=status.phase=Running --no-headers -o custom-columns=${columns}`;
        // A rollout is over before the last old pod has gone.
        for (let tries = 0; tries < 100 && (await k.run(running)).split('\n').length > 3; tries += 1)
          await new Promise((resolve) => void setTimeout(resolve, 200));
        expect(await k.run(running)).toMatchInlineSnapshot(`
        example.com/web:1   Running
        example.com/web:1   Running
        example.com/web:1   Running
      `);
        await k.run('rollout restart deployment/web');
        expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
          `deployment "web" successfully rolled out`,
        );
        await k.run('delete deployment web --cascade=foreground');
        expect(await k.run('get replicasets,pods -l app=web')).toMatchInlineSnapshot(`
        [stderr]
        No resources found in NAMESPACE namespace.
      `);
      },
      { needsNodes: true },
    );

    test('an update that never becomes ready exceeds its deadline', async (k) => {
      const slow = deployment.replace('  replicas: 2\n', '  replicas: 1\n  progressDeadlineSeconds: 2\n');
      await k.run(
        'create -f -',
        `${slow}          readinessProbe: { exec: { command: [a] }, initialDelaySeconds: 30 }\n`,
      );
      expect(await k.run('rollout status deployment/web --timeout=50s')).toContain(
        'error: deployment "web" exceeded its progress deadline',
      );
    });

    test(
      'a Job of a CronJob is made by hand, suspended, resumed and deleted',
      async (k) => {
        expect(await k.run('create -f -', cronJob)).toMatchInlineSnapshot(`cronjob.batch/tidy created`);
        expect(await k.run('create job now --from=cronjob/tidy')).toMatchInlineSnapshot(
          `job.batch/now created`,
        );
        const active = `wait job/now --for=jsonpath='{.status.ready}'=1 --timeout=20s`;
        expect(await k.run(active)).toMatchInlineSnapshot(`job.batch/now condition met`);
        await k.run(`patch job now -p '{"spec":{"suspend":true}}'`);
        expect(await k.run('wait job/now --for=condition=Suspended --timeout=20s')).toMatchInlineSnapshot(
          `job.batch/now condition met`,
        );
        await k.run('wait pod -l job-name=now --for=delete --timeout=20s');
        expect(await k.run('get pods -l job-name=now')).toMatchInlineSnapshot(`
        [stderr]
        No resources found in NAMESPACE namespace.
      `);
        await k.run(`patch job now -p '{"spec":{"suspend":false}}'`);
        expect(await k.run(active)).toMatchInlineSnapshot(`job.batch/now condition met`);
        await k.run('delete job now');
        await k.run('wait pod -l job-name=now --for=delete --timeout=20s');
        expect(await k.run('get pods -l job-name=now')).toMatchInlineSnapshot(`
        [stderr]
        No resources found in NAMESPACE namespace.
      `);
      },
      { needsNodes: true },
    );

    test(
      'a Job prints what its annotation says, and its end is awaited',
      async (k) => {
        // A cluster with real containers needs a command and an image for this.
        if (k.server.name !== 'the sandbox') return;
        expect(await k.run('create -f -', scripted)).toMatchInlineSnapshot(`job.batch/sum created`);
        expect(await k.run('wait job/sum --for=condition=Complete --timeout=20s')).toMatchInlineSnapshot(
          `job.batch/sum condition met`,
        );
        expect(await k.run('logs job/sum')).toMatchInlineSnapshot(`
        started
        the sum is 42
        [stderr]
        Defaulted container "main" out of: main, setup (init), side (init)
      `);
        expect(await k.run('logs job/sum -c setup --tail=1')).toMatchInlineSnapshot(`set up`);
        // kubectl prints the containers in any order.
        const printed = await k.run('logs -l job-name=sum --all-containers --prefix=false');
        expect(printed.split('\n').sort()).toEqual([
          'at your side',
          'set up',
          'setting up',
          'started',
          'the sum is 42',
        ]);
        expect(await k.run('logs job/sum --previous')).toContain('previous terminated container');
      },
      { needsNodes: true },
    );

    test(
      'a StatefulSet is rolled out in order, and undone',
      async (k) => {
        expect(await k.run('create -f -', statefulSet)).toMatchInlineSnapshot(`statefulset.apps/db created`);
        await k.run('rollout status statefulset/db --timeout=50s');
        await k.run('set image statefulset/db main=example.com/web:2');
        expect(await follow(k, 'statefulset/db')).toMatch(/rolling update complete|roll out complete/);
        const images =
          'get pods -l app=db --no-headers -o custom-columns=N:.metadata.name,I:.spec.containers[0].image';
        expect(await k.run(images)).toMatchInlineSnapshot(`
        db-0   example.com/web:2
        db-1   example.com/web:2
      `);
        expect(await k.run('rollout history statefulset/db')).toMatchInlineSnapshot(`
        statefulset.apps/db
        REVISION   CHANGE-CAUSE
        1   <none>
        2   <none>
      `);
        expect(await k.run('rollout undo statefulset/db')).toMatchInlineSnapshot(
          `statefulset.apps/db rolled back`,
        );
        await follow(k, 'statefulset/db');
        expect(await k.run(images)).toMatchInlineSnapshot(`
        db-0   example.com/web:1
        db-1   example.com/web:1
      `);
        await k.run('scale statefulset/db --replicas=1');
        expect(await k.run('wait pod/db-1 --for=delete --timeout=20s')).not.toContain('error');
        expect(await k.run('get statefulset db --no-headers -o custom-columns=R:.status.replicas')).toBe('1');
      },
      { needsNodes: true },
    );

    test(
      'a node is drained: its daemon pods stay, the others leave within their budget',
      async (k) => {
        const node = 'node-2';
        await k.run('create -f -', daemonSet(node));
        await k.run('create -f -', deployment);
        await k.run('create -f -', budget);
        expect(await follow(k, 'daemonset/agent')).toMatchInlineSnapshot(
          `daemon set "agent" successfully rolled out`,
        );
        await follow(k, 'deployment/web');
        try {
          expect(await k.run(`drain ${node} --timeout=30s`)).toContain(
            'cannot delete DaemonSet-managed Pods',
          );
          const drained = await k.run(`drain ${node} --ignore-daemonsets --timeout=30s`);
          expect(drained).toContain(`node/${node} drained`);
          expect(
            await k.run(
              `get pods --field-selector spec.nodeName=${node} --no-headers -o custom-columns=L:.metadata.labels.app`,
            ),
          ).toMatchInlineSnapshot(`agent`);
          expect(await follow(k, 'deployment/web')).toMatchInlineSnapshot(
            `deployment "web" successfully rolled out`,
          );
        } finally {
          await k.run(`uncordon ${node}`);
        }
      },
      { needsNodes: true },
    );
  },
  { nodes: 2, workloads: true },
);
