import { afterAll, beforeAll, expect } from 'vitest';
import { runningDeployment as deployment } from './manifests.ts';
import { eventually } from './rollouts/programs.ts';
import { beginAdmission, type Bundle, makeBundle, mount, setIn } from './sidecars.ts';
import { suite, type Kubectl } from './suite.ts';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await makeBundle();
}, 60_000);

afterAll(() => bundle.remove());

const access = ['--kubeconfig', '.kubeconfig'];

/** A field of each pod of the Deployment, sorted. */
async function each(k: Kubectl, path: string): Promise<string[]> {
  const text = await k.raw(`get pods -l app=web -o jsonpath={range.items[*]}{${path}}{"\\n"}{end}`);
  return text.out.trim().split('\n').sort();
}

suite(
  'sidecar-update',
  (test) => {
    test('the sidecars of a Deployment are updated in place under a plan, and its pods stay', async (k) => {
      const ca = await mount(k);
      const admission = await beginAdmission(bundle, k);
      // A server without nodes gets those of `kruise kubelet`.
      const kubelet = k.server.hasNodes
        ? undefined
        : bundle.start(k, 'kubelet', ...access, '--pull-time', '100ms', '--no-events', '--cleanup');
      const runtime = bundle.start(
        k,
        'run',
        '--no-leader-election',
        '--port',
        '0',
        '--log',
        'text',
        ...access,
      );
      try {
        await bundle.run(k, 'admission', 'install', '--ca', ca, '--url', admission.url, ...access);
        await k.run('apply -f -', setIn(k));
        await eventually('the webhook', async () =>
          (await bundle.run(k, 'admission', 'check', ...access)).startsWith('the webhook answers'),
        );
        await k.run('create -f -', deployment);
        const ready = '.status.conditions[?(@.type=="Ready")].status';
        await eventually('two pods', async () => (await each(k, ready)).join() === 'True,True', {
          context: () => runtime.output(),
        });
        const uids = await each(k, '.metadata.uid');
        // A runtime that first sees the changed set would take its pods for those of another controller.
        await eventually(
          'the record of the first content',
          async () =>
            (await k.raw(`get sidecarset ${k.namespace} -o jsonpath={.status.updatedReadyPods}`)).out === '2',
          { context: () => runtime.output() },
        );

        k.file('before/set.yaml', setIn(k));
        k.file('after/set.yaml', setIn(k, 'example.com/proxy:2'));
        await bundle.run(k, 'plan', 'after', '--base-dir', 'before');
        await k.run('apply -f after --recursive');
        const plan = `clusterrolloutplan sidecarset-${k.namespace}`;
        await eventually(
          'the end of the plan',
          async () => (await k.raw(`get ${plan} -o jsonpath={.status.phase}`)).out === 'Succeeded',
          { limitMs: 90_000, context: () => runtime.output() },
        );
        expect(await each(k, '.spec.containers[*].image')).toEqual(
          Array(2).fill('example.com/web:1 example.com/proxy:2'),
        );
        expect(await each(k, '.metadata.uid')).toEqual(uids);
        expect(await k.run(`get sidecarset ${k.namespace} --no-headers`)).toMatchInlineSnapshot(
          `NAMESPACE   2   2   2   AGE`,
        );
        const status = await bundle.run(k, 'status', `SidecarSet/${k.namespace}`, ...access);
        expect(status.split('\n').slice(0, 3)).toEqual([
          'SidecarSet/NAMESPACE in the cluster: Succeeded',
          '  every step is done',
          '  2/2 updated, 2/2 ready',
        ]);
        expect(await runtime.stop()).toBe(0);
      } finally {
        await runtime.kill();
        await kubelet?.stop();
        await admission.program.kill();
        await k.run('delete mutatingwebhookconfiguration kruise-admission --ignore-not-found');
        await k.run(`delete sidecarset ${k.namespace} --ignore-not-found`);
        await k.run(`delete clusterrolloutplan sidecarset-${k.namespace} --ignore-not-found`);
      }
    });
  },
  { nodes: 1, workloads: true },
);
