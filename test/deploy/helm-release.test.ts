import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { findBinaries } from '../e2e/binaries.ts';
import { cloneSet } from '../runtime/stage.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findHelm } from './helm.ts';

const helm = findHelm();
const kubectl = findBinaries().at(-1)?.path;

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

const RELEASE = 'kruise deploy/chart -n kruise-system --set createNamespace=false';

/** Exit code and messages of a helm command line, which must succeed. */
async function released(here: Cluster, line: string): Promise<string> {
  const { code, out, err } = await here.helm(line);
  expect([line, code, err]).toEqual([line, 0, '']);
  return out;
}

describe.skipIf(helm === undefined || kubectl === undefined)('a release of helm', () => {
  test(
    'leaves definitions and workloads in an upgrade, a rollback and an uninstall',
    { timeout: 120_000 },
    async () => {
      cluster = await startCluster(kubectl ?? '', 1, helm);
      const here = cluster;
      for (const path of ['-f deploy/crds', '-k deploy/namespace'])
        expect((await here.kubectl(`apply --server-side ${path}`)).code).toBe(0);
      await released(here, `install ${RELEASE} --set image=registry.example/kruise:1`);
      const image = async (): Promise<string> => {
        const { out } = await here.kubectl(
          'get deployment kruise-runtime -n kruise-system -o jsonpath={.spec.template.spec.containers[0].image}',
        );
        return out;
      };
      const user = here.world.cluster('kubernetes-admin');
      await user.create(resources.Namespace, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop' },
      });
      await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
      const left = async (): Promise<string[]> => [
        (await here.kubectl('get crds -o name')).out,
        (await here.kubectl('get clonesets -n shop -o name')).out,
      ];
      const before = await left();
      expect(before.join('')).toContain('clonesets.apps.kruise.io');

      await released(here, `upgrade ${RELEASE} --set image=registry.example/kruise:2`);
      expect([await image(), ...(await left())]).toEqual(['registry.example/kruise:2', ...before]);
      await released(here, 'rollback kruise 1 -n kruise-system');
      expect([await image(), ...(await left())]).toEqual(['registry.example/kruise:1', ...before]);
      await released(here, 'uninstall kruise -n kruise-system');
      expect([await image(), ...(await left())]).toEqual(['', ...before]);
    },
  );
});
