import { afterAll, beforeAll, expect } from 'vitest';
import { runningDeployment as deployment } from './manifests.ts';
import { access, inSidecarCluster } from './sidecar-cluster.ts';
import { type Bundle, makeBundle, setIn } from './sidecars.ts';
import { suite } from './suite.ts';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await makeBundle();
}, 60_000);

afterAll(() => bundle.remove());

suite(
  'sidecar-update',
  (test) => {
    test('the sidecars of a Deployment are updated in place under a plan, and its pods stay', async (k) => {
      await inSidecarCluster(bundle, k, async (cluster) => {
        cluster.startRuntime();
        await cluster.inject(setIn(k));
        await k.run('create -f -', deployment);
        await cluster.ready(2);
        await cluster.recorded(2);
        const uids = await cluster.each('{.metadata.uid}');

        const change = { before: setIn(k), after: setIn(k, 'example.com/proxy:2') };
        await cluster.rollOut(change, 'Succeeded');
        expect(await cluster.each('{.spec.containers[*].image}')).toEqual(
          Array(2).fill('example.com/web:1 example.com/proxy:2'),
        );
        expect(await cluster.each('{.metadata.uid}')).toEqual(uids);
        expect(await k.run(`get sidecarset ${k.namespace} --no-headers`)).toMatchInlineSnapshot(
          `NAMESPACE   2   2   2   AGE`,
        );
        const status = await bundle.run(k, 'status', `SidecarSet/${k.namespace}`, ...access);
        expect(status.split('\n').slice(0, 3)).toEqual([
          'SidecarSet/NAMESPACE in the cluster: Succeeded',
          '  every step is done',
          '  2/2 updated, 2/2 ready',
        ]);
        expect(await cluster.stopRuntime()).toBe(0);
      });
    });
  },
  { workloads: true },
);
