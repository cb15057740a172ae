import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startProcess, type RuntimeProcess } from '../../runtime/process.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { findBinaries } from '../e2e/binaries.ts';
import { connectionTo } from '../runtime/process-world.ts';
import { cloneSet, planOf, templateOf } from '../runtime/stage.ts';
import { sampled } from '../lanes.ts';
import { root, startCluster, type Cluster } from './cluster.ts';
import { until } from '../until.ts';

const binary = findBinaries().at(-1)?.path;
const patience = { timeout: 120_000 };

let cluster: Cluster | undefined;
let running: RuntimeProcess | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await cluster?.close();
  cluster = undefined;
});

/** Installs for all namespaces or for one, and starts the runtime with the token of its service account alone. */
async function installed(path: string, only: string | undefined): Promise<Cluster> {
  const here = await startCluster(path, 10);
  cluster = here;
  const done = async (line: string, cwd?: string): Promise<string> => {
    const { code, out, err } = await here.kubectl(line, undefined, cwd);
    if (code !== 0) throw new Error(`${line}: ${err}`);
    return out;
  };
  await done('create namespace shop');
  const folder = here.folder('copy');
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  if (only === undefined) {
    const installation = { resources: ['deploy'], components: ['deploy/components/argocd'] };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(installation));
    await done('apply --server-side -k .', folder);
  } else {
    await done('apply --server-side -f deploy/crds');
    const file = join(folder, 'deploy/overlays/namespaced/kustomization.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('namespace: default', `namespace: ${only}`));
    await done('apply --server-side -k deploy/overlays/namespaced', folder);
  }
  const own = only ?? 'kruise-system';
  const token = (await done(`create token kruise-runtime -n ${own} --duration 24h`)).trim();
  running = await startProcess({
    connection: connectionTo(here.url, token),
    clock: here.clock,
    random: () => 0.5,
    version: '1.2.3',
    policy: 'Required',
    namespace: only,
    election: { namespace: own, name: only === undefined ? 'kruise' : `kruise-${only}`, identity: 'one' },
    log: { format: 'json', write: () => undefined },
  });
  return here;
}

const installations = [
  ['for all namespaces', undefined, 'system:serviceaccount:kruise-system:kruise-runtime', []],
  [
    'for one namespace',
    'shop',
    'system:serviceaccount:shop:kruise-runtime',
    // It may read neither definitions, policies nor OpenKruise's Lease, and does without.
    ['get customresourcedefinitions', 'get leases', 'get validatingadmissionpolicies'],
  ],
] as const;
const drawn = sampled('installations', installations, 1);

describe.skipIf(binary === undefined).each(drawn)(
  'the runtime as it is installed %s',
  (_title, only, user, unseen) => {
    test('rolls out with the token of its service account, and is refused nothing', patience, async () => {
      const { world } = await installed(binary ?? '', only);
      const admin = world.cluster('admin');
      const images = async () => {
        const { items } = await admin.list(resources.Pod, { namespace: 'shop' });
        return items.map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image);
      };
      const available = async () => {
        const { status } = await admin.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
        return (status as { availableReplicas?: number } | undefined)?.availableReplicas;
      };
      await admin.create(resources.CloneSet, cloneSet('web', 'web:1'));
      await until('three pods', async () => (await available()) === 3);
      const engine = world.cluster('system:serviceaccount:argocd:argocd-application-controller');
      await engine.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
      const body = { spec: { template: templateOf('web', 'web:2') } };
      await admin.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
      await until('the end of the roll-out', async () => {
        const { items } = await admin.list(resources.RolloutPlan, { namespace: 'shop' });
        return (items[0]?.['status'] as { phase?: string } | undefined)?.phase === 'Succeeded';
      });
      expect(await images()).toEqual(['web:2', 'web:2', 'web:2']);
      const own = world.log.filter((entry) => entry.user === user);
      expect(
        own.some(({ verb, resource, code }) => verb === 'patch' && resource === 'pods' && code === 200),
      ).toBe(true);
      const refused = own
        .filter(({ code }) => code === 403)
        .map(({ verb, resource }) => `${verb} ${resource}`);
      expect([...new Set(refused)]).toEqual(unseen);
    });
  },
);
