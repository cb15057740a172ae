import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import { findBinaries } from '../binaries.ts';
import { start } from '../run.ts';
import { eventually, type Program } from './programs.ts';
import { startWebhook, type Webhook } from './webhook.ts';
import { ENGINE, startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);

const steps = `steps:
  - match: { kind: SidecarSet }
    batches: [{ to: 1 }, { to: 100% }]
    approve: [1]
`;

/** A set of a namespace; `apps`: which pods it selects there. */
const setOf = (
  namespace: string,
  { tag = '1', apps = 'web', more = '' },
) => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: { name: ${namespace} }
spec:
  namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ${namespace} } }
  selector: { matchExpressions: [{ key: app, operator: In, values: [${apps}] }] }
  containers: [{ name: proxy, image: 'example.com/proxy:${tag}', podInjectPolicy: AfterAppContainer }]
${more}`;

/** A pod of a tenant that says it was injected by a set which nobody has made yet. */
const forged = (set: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'forged',
    labels: { app: 'web' },
    annotations: {
      'kruise.io/sidecarset-hash': JSON.stringify({ [set]: { hash: 'forged', sidecarSetName: set } }),
      'kruise.io/sidecarset-injected-list': set,
    },
  },
  spec: { containers: [{ name: 'proxy', image: 'example.com/proxy:0' }] },
});

interface Site {
  /** The set of this namespace. */
  set(parts?: { tag?: string; apps?: string; more?: string }): string;
  /** Sets the manifest at head and syncs it by the account of the engine, with its plan unless that is left out. */
  sync(manifest: string, how?: 'WithoutPlan'): Promise<void>;
  /** The images that a new pod with this label has after its own, by a dry run. */
  gets(app: string): Promise<string>;
  /** Waits until it gets this. */
  comesToGet(app: string, images: string): Promise<void>;
  /** Creates two pods with this label, and waits until they are ready. */
  run(app: string): Promise<void>;
  /** The images of all pods after their own, sorted; the forged one has none. */
  images(): Promise<string[]>;
  /** Waits until the runtime has seen the present generation of the set. */
  observed(): Promise<void>;
  phase(wanted: string): Promise<void>;
  approve(): Promise<void>;
}

describe.skipIf(kubectl === undefined && !isKubectlShipped)('SidecarSets under the shipped policies', () => {
  let world: World | undefined;
  let webhook: Webhook | undefined;
  let runtime: Program | undefined;
  let counter = 0;

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['admission']);
    runtime = await world.startRuntime({ args: ['--policy', 'Required'] });
    webhook = await startWebhook(world, 1);
  }, patience);

  afterAll(async () => {
    await webhook?.close();
    await world?.close();
  }, patience);

  /** Plays in a namespace of its own, with two running pods of the label `web`; removes what is outside of it, too. */
  async function inSite(play: (site: Site) => Promise<void>): Promise<void> {
    if (world === undefined) throw new Error('there is no server');
    const { administer, folder, kruise, server, user } = world;
    counter += 1;
    const namespace = `e2e-sidecars-${counter}-${process.pid}`;
    const tree = join(folder, namespace);
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const plan = `clusterrolloutplan sidecarset-${namespace}`;
    const context = (): string => `${runtime?.output()}\n${webhook?.output()}`;
    await server.rest('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await administer(`create -n ${namespace} -f -`, JSON.stringify(forged(namespace)));
    async function kruiseHere(...args: string[]): Promise<void> {
      const all = [kruise, ...args];
      const { code, err } = await start({ path: process.execPath, args: all, env, cwd: tree }).done;
      if (code !== 0) throw new Error(`kruise ${args.join(' ')}: ${err}`);
    }
    const inNamespace = (line: string): Promise<string> => administer(`${line} -n ${namespace}`);
    const sidecars = '-o jsonpath={.spec.containers[1:].image}';
    const site: Site = {
      set: (parts = {}) => setOf(namespace, parts),
      async sync(manifest, how) {
        for (const name of ['base', 'head']) mkdirSync(join(tree, name, 'manifests'), { recursive: true });
        writeFileSync(join(tree, 'head/kruise.yaml'), steps);
        writeFileSync(join(tree, 'head/manifests/set.yaml'), manifest);
        if (how === undefined) {
          await kruiseHere('plan', 'head', '--base-dir', 'base');
          // The next commit is planned against the last one that was.
          writeFileSync(join(tree, 'base/manifests/set.yaml'), manifest);
        }
        const folders = ['manifests', 'plans'].filter((name) => existsSync(join(tree, 'head', name)));
        const files = folders.map((name) => `-f ${join(tree, 'head', name)}`).join(' ');
        await administer(`apply -R ${files} --as ${ENGINE}`);
      },
      gets: async (app) =>
        inNamespace(`run new --image=example.com/web:1 -l app=${app} --dry-run=server ${sidecars}`),
      async comesToGet(app, images) {
        await eventually(`${images} for ${app}`, async () => (await site.gets(app)) === images, { context });
      },
      async run(app) {
        for (const name of ['one', 'two'])
          await inNamespace(`run ${name} --image=example.com/web:1 -l app=${app}`);
        await inNamespace('wait pod/one pod/two --for=condition=Ready --timeout=60s');
      },
      async images() {
        const each = '{range .items[*]}{.spec.containers[1:].image}{"\\n"}{end}';
        return (await inNamespace(`get pods -o 'jsonpath=${each}'`)).split('\n').slice(0, -1).sort();
      },
      async observed() {
        const fields = '-o jsonpath={.metadata.generation}/{.status.observedGeneration}';
        await eventually(
          'the generation is observed',
          async () => {
            const [present, seen] = (await administer(`get sidecarset ${namespace} ${fields}`)).split('/');
            return present === seen;
          },
          { context },
        );
      },
      async phase(wanted) {
        const read = (): Promise<string> => administer(`get ${plan} -o jsonpath={.status.phase}`);
        await eventually(wanted, async () => (await read()) === wanted, { limitMs: 90_000, context });
      },
      async approve() {
        const access = ['--kubeconfig', join(folder, 'admin.kubeconfig')];
        await kruiseHere('approve', `SidecarSet/${namespace}`, '--by', user, ...access);
      },
    };
    try {
      await play(site);
    } finally {
      await administer(`delete ${plan} --ignore-not-found`);
      await administer(`delete sidecarset ${namespace} --ignore-not-found`);
      await server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    }
  }

  const FIRST = 'example.com/proxy:1';
  const NEXT = 'example.com/proxy:2';

  test(
    'pods that a commit newly selects get sidecars once a plan lets them, whatever a pod says of the set',
    { timeout: patience },
    async () => {
      await inSite(async (site) => {
        await site.sync(site.set());
        await site.comesToGet('web', FIRST);
        await site.run('web');
        expect(await site.gets('api')).toBe('');

        const wide = site.set({ apps: 'api, web' });
        await site.sync(wide, 'WithoutPlan');
        await site.observed();
        expect([await site.gets('web'), await site.gets('api')]).toEqual([FIRST, '']);

        await site.sync(wide);
        await site.phase('AwaitingApproval');
        expect([await site.gets('web'), await site.gets('api')]).toEqual([FIRST, '']);
        await site.approve();
        await site.phase('Succeeded');
        await site.comesToGet('api', FIRST);
        expect(await site.gets('web')).toBe(FIRST);
        expect(await site.images()).toEqual(['', FIRST, FIRST]);
      });
    },
  );

  test(
    'a revision that the commit itself pins waits for the plan, for new pods, too',
    { timeout: patience },
    async () => {
      await inSite(async (site) => {
        await site.sync(site.set());
        await site.comesToGet('web', FIRST);
        await site.run('web');

        const pin = '  customVersion: v2\n  injectionStrategy: { revision: { customVersion: v2 } }\n';
        const pinned = site.set({ tag: '2', more: pin });
        await site.sync(pinned, 'WithoutPlan');
        await site.observed();
        expect(await site.gets('web')).toBe(FIRST);

        await site.sync(pinned);
        await site.phase('AwaitingApproval');
        expect(await site.images()).toEqual(['', FIRST, NEXT]);
        expect(await site.gets('web')).toBe(FIRST);
        await site.approve();
        await site.phase('Succeeded');
        await site.comesToGet('web', NEXT);
        expect(await site.images()).toEqual(['', NEXT, NEXT]);
      });
    },
  );
});

describe.skipIf(kubectl === undefined && !isKubectlShipped)('SidecarSets in Auto on a server', () => {
  let world: World | undefined;
  let webhook: Webhook | undefined;
  let runtime: Program | undefined;

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['admission']);
    runtime = await world.startRuntime({ args: ['--policy', 'Auto'] });
    webhook = await startWebhook(world, 1, [], ['--policy', 'Auto']);
  }, patience);

  afterAll(async () => {
    await webhook?.close();
    await world?.close();
  }, patience);

  test(
    'a namespace whose budget lets nobody update its pods keeps no other from its sidecars',
    { timeout: patience },
    async () => {
      if (world === undefined) throw new Error('there is no server');
      const { administer, server } = world;
      const name = `e2e-auto-${process.pid}`;
      const [shop, tenant] = [`${name}-shop`, `${name}-tenant`];
      const context = (): string => `${runtime?.output()}\n${webhook?.output()}`;
      const apply = async (tag: string): Promise<unknown> =>
        administer(
          'apply -f -',
          setOf(name, { tag }).replace(
            /namespaceSelector: .*/,
            `namespaceSelector: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: In, values: [${shop}, ${tenant}] }] }`,
          ),
        );
      const images = async (namespace: string): Promise<string> => {
        const each = '{range .items[*]}{.spec.containers[1:].image}{" "}{end}';
        return (await administer(`get pods -n ${namespace} -o 'jsonpath=${each}'`)).trim();
      };
      const become = (namespace: string, wanted: string): Promise<unknown> =>
        eventually(`${wanted} in ${namespace}`, async () => (await images(namespace)) === wanted, {
          limitMs: 90_000,
          context,
        });
      const [first, next] = [1, 2].map((tag) => `example.com/proxy:${tag}`);
      try {
        for (const namespace of [shop, tenant]) await administer(`create namespace ${namespace}`);
        await apply('1');
        const get = `run new --image=example.com/web:1 -l app=web --dry-run=server -n ${shop} -o jsonpath={.spec.containers[1:].image}`;
        await eventually('new pods get it', async () => (await administer(get)) === first, { context });
        for (const [namespace, pods] of [
          [shop, ['one', 'two', 'three']],
          [tenant, ['four']],
        ] as const) {
          for (const pod of pods)
            await administer(`run ${pod} --image=example.com/web:1 -l app=web -n ${namespace}`);
          await administer(`wait pod --all --for=condition=Ready --timeout=60s -n ${namespace}`);
        }
        await administer(`create poddisruptionbudget none --selector app=web --min-available 1 -n ${tenant}`);
        await apply('2');
        await become(shop, `${next} ${next} ${next}`);
        expect(await images(tenant)).toBe(first);
        await administer(`delete poddisruptionbudget none -n ${tenant}`);
        await become(tenant, next ?? '');
      } finally {
        await administer(`delete sidecarset ${name} --ignore-not-found`);
        for (const namespace of [shop, tenant])
          await server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
      }
    },
  );
});
