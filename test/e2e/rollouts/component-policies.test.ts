import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { KubeObject, OwnerReference } from '../../../schemas/wire/object.ts';
import { findBinaries } from '../binaries.ts';
import { start, words } from '../run.ts';
import { eventually } from './programs.ts';
import { startWorld, type World } from './world.ts';

/** Components whose right has its policy beside it: that policy confines the account without any other, on every server. */
const patience = 120_000;
const kubectl = findBinaries().at(-1);
const OTHERS = ['runtime-objects', 'runtime-launch'].map((name) => `${name}.plan.kruise.io`);

const owner = (kind: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...{ apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web', uid: '1', controller: true },
  ...more,
});

/** A target of no pods, and of no children as no runtime is there. */
const united: object = {
  ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment', metadata: { name: 'web' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    topology: { subsets: [{ name: 'a' }] },
    template: {
      deploymentTemplate: {
        spec: {
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
          },
        },
      },
    },
  },
};

const metadataOf = (name: string, ownerReferences: OwnerReference[]): KubeObject['metadata'] => ({
  name,
  ownerReferences,
});

const deployment = (name: string, owners: OwnerReference[], spec: object = {}): object => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf(name, owners) },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1' }], ...spec },
    },
  },
});

const job = (owners: OwnerReference[]): object => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: metadataOf('tidy', owners) },
  spec: {
    suspend: true,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'nginx:1' }] } },
  },
});

const secret = (owners: OwnerReference[]): object => ({
  ...{
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf('token', owners),
    stringData: { key: 'value' },
  },
});

describe.skipIf(kubectl === undefined && !isKubectlShipped)('the policies of components', () => {
  let world: World | undefined;
  let account = '';
  const namespace = `components-${process.pid}`;
  const running = (): World => {
    if (world === undefined) throw new Error('there is no server');
    return world;
  };

  /** Which policy refuses it to the account of the runtime; `allowed`: none does. Nothing is stored. */
  async function attempted(line: string, object?: object): Promise<string> {
    const { folder, kubectl: binary } = running();
    const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: account };
    const args = words(`${line} -n ${namespace} --dry-run=server`);
    const stdin = object === undefined ? undefined : JSON.stringify(object);
    const { code, err } = await start({ path: binary.path, args, env, cwd: folder, stdin }).done;
    if (code === 0) return 'allowed';
    return /ValidatingAdmissionPolicy '([\w-]+)\.plan\.kruise\.io'/.exec(err)?.[1] ?? err;
  }
  const created = (object: object): Promise<string> => attempted('create -f -', object);
  const patched = (body: object): Promise<string> =>
    attempted(`patch deployment child --type merge -p '${JSON.stringify(body)}'`);

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['native-workloads', 'secrets']);
    account = await world.accountIn('kruise-system', 'kruise-runtime');
    await world.administer(`create namespace ${namespace}`);
    await world.administer(`delete validatingadmissionpolicybinding ${OTHERS.join(' ')}`);
    const made = async (object: object): Promise<string> =>
      running().administer(`create -n ${namespace} -o jsonpath={.metadata.uid} -f -`, JSON.stringify(object));
    // What an owner that is not there controls is deleted.
    const uid = await made(united);
    for (const object of [deployment('child', [owner('UnitedDeployment', { uid })]), deployment('other', [])])
      await made(object);
    await eventually('the policies of the components are in force', async () =>
      [await created(secret([])), await created(job([]))].every((each) => each !== 'allowed'),
    );
    // The others are no longer.
    await eventually('the other policies are gone', async () => {
      const map = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'any' } };
      const spec = { containers: [{ name: 'main', image: 'nginx:1' }] };
      return (await created({ ...map, spec })) === 'allowed';
    });
  }, patience);

  afterAll(async () => {
    await world?.administer(`delete --wait=false namespace ${namespace}`).catch(() => '');
    await world?.close();
  }, patience);

  test(
    'native-workloads: children of targets are created, and nothing else',
    { timeout: patience },
    async () => {
      const rows: [object, string][] = [
        [deployment('new', [owner('UnitedDeployment')]), 'allowed'],
        [job([owner('AdvancedCronJob')]), 'allowed'],
        [deployment('new', []), 'native-workloads'],
        [deployment('new', [owner('CloneSet')]), 'native-workloads'],
        [deployment('new', [owner('UnitedDeployment', { controller: false })]), 'native-workloads'],
        [
          deployment('new', [owner('UnitedDeployment'), owner('CloneSet', { uid: '2', controller: false })]),
          'native-workloads',
        ],
        [
          deployment('new', [owner('UnitedDeployment')], { serviceAccountName: 'kruise-runtime' }),
          'native-workloads',
        ],
        [job([owner('UnitedDeployment')]), 'native-workloads'],
      ];
      for (const [object, expected] of rows)
        expect([object, await created(object)]).toEqual([object, expected]);
    },
  );

  test('native-workloads: they are changed, never given away', { timeout: patience }, async () => {
    const itself = { spec: { template: { spec: { serviceAccountName: 'kruise-runtime' } } } };
    expect(await patched({ spec: { replicas: 2 } })).toBe('allowed');
    expect(await patched({ metadata: { ownerReferences: null } })).toBe('native-workloads');
    const further = [owner('UnitedDeployment'), owner('CloneSet', { uid: '2', controller: false })];
    expect(await patched({ metadata: { ownerReferences: further } })).toBe('native-workloads');
    expect(await patched(itself)).toBe('native-workloads');
    expect(await attempted('delete deployment child')).toBe('allowed');
    expect(await attempted('delete deployment other')).toBe('native-workloads');
    expect(await attempted('scale deployment other --replicas 3')).not.toBe('allowed');
  });

  test('secrets: copies are written, and nothing else', { timeout: patience }, async () => {
    expect(await created(secret([owner('ResourceDistribution')]))).toBe('allowed');
    expect(await created(secret([]))).toBe('secrets');
    expect(await created(secret([owner('CloneSet')]))).toBe('secrets');
    const copied = secret([owner('ResourceDistribution')]) as KubeObject;
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    const token = {
      metadata: { ...copied.metadata, annotations },
      type: 'kubernetes.io/service-account-token',
    };
    expect(await created({ ...copied, ...token })).toBe('secrets');
  });
});
