import { afterAll, beforeAll, expect } from 'vitest';
import { expectGolden } from '../golden.ts';
import { runningDeployment as deployment } from './manifests.ts';
import { access, inSidecarCluster, type SidecarCluster } from './sidecar-cluster.ts';
import { type Bundle, makeBundle } from './sidecars.ts';
import { type Kubectl, suite } from './suite.ts';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await makeBundle();
}, 60_000);

afterAll(() => bundle.remove());

/** A set whose container is a hot pair. One that crashes after two seconds has not been ready. */
const meshSet = ({ namespace }: Kubectl, tag: string) => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: ${namespace}
spec:
  namespaceSelector:
    matchLabels: { kubernetes.io/metadata.name: ${namespace} }
  selector:
    matchLabels: { app: web }
  containers:
    - name: mesh
      image: example.com/mesh:${tag}
      podInjectPolicy: AfterAppContainer
      upgradeStrategy: { upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'example.com/empty:1' }
      lifecycle: { postStart: { exec: { command: [/take-over] } } }
      readinessProbe: { exec: { command: [/is-ready] }, initialDelaySeconds: 4, periodSeconds: 1 }
`;

const steps = `steps:
  - match: { kind: SidecarSet }
    batches: [{ to: 1 }, { to: 100% }]
`;

const IMAGES = ['.spec.containers[?(@.name=="mesh-1")].image', '.spec.containers[?(@.name=="mesh-2")].image'];
const WORKING = String.raw`.metadata.annotations.kruise\.io/sidecarset-working-hotupgrade-container`;
const VERSIONS = ['mesh-1', 'mesh-2'].flatMap((half) =>
  ['version', 'versionalt'].map(
    (key) => String.raw`.metadata.annotations.${key}\.sidecarset\.kruise\.io/${half}`,
  ),
);

/** Images of both halves, and which of them works. */
const halves = (cluster: SidecarCluster) =>
  cluster.each([...IMAGES, WORKING].map((path) => `{${path}}`).join(' '));

/** The versions of both halves: of each its own and that of the other one. */
const versions = (cluster: SidecarCluster) => cluster.each(VERSIONS.map((path) => `{${path}}`).join(' '));

const pair = (one: string, two: string, working: string): string =>
  `example.com/${one} example.com/${two} {"mesh":"${working}"}`;

/** Different halves of each pod, in the order in which a watch shows them. */
function sequences(printed: string): string[][] {
  const byPod = new Map<string, string[]>();
  for (const line of printed.trim().split('\n')) {
    const [pod = '', ...rest] = line.split(/ +/);
    const seen = byPod.get(pod) ?? [];
    byPod.set(pod, seen);
    if (seen.at(-1) !== rest.join(' ')) seen.push(rest.join(' '));
  }
  return [...byPod.values()];
}

const twice = (text: string): string[] => [text, text];
const FIRST = pair('mesh:1', 'empty:1', 'mesh-1');

/** What a case printed, without what differs from run to run. */
interface Log {
  add(command: string, output: string): void;
  text(): string;
}

function logOf(title: string): Log {
  const parts = [`# ${title}`];
  return {
    add: (command, output) => void parts.push(`$ ${command}\n${steadyPods(output)}`),
    text: () => `${parts.join('\n\n')}\n`,
  };
}

/** Pods have random names, plans hang on the name of the set, and versions on the server. */
const steadyPods = (text: string): string =>
  text
    .replaceAll(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, 'web-POD')
    .replaceAll(/\bh1:[0-9a-f]{8,}/g, 'DIGEST')
    .replaceAll(/(?<=NAMESPACE-)[a-z0-9]{8,10}\b/g, 'REVISION')
    .replaceAll(/^0 (\d{2,}) \1 0$/gm, '0 RV RV 0');

const get = 'get pods -l app=web -o jsonpath=…';

/** Adds both halves of each pod, and their versions, to what the case printed. */
async function show(k: Kubectl, cluster: SidecarCluster, log: Log): Promise<void> {
  log.add(
    `kubectl ${get} # the images of mesh-1 and mesh-2, and which works`,
    (await halves(cluster)).join('\n'),
  );
  log.add(
    `kubectl ${get} # the version of mesh-1 and that of the other one, and of mesh-2`,
    (await versions(cluster)).join('\n'),
  );
  log.add('kubectl get sidecarset NAMESPACE', await k.run(`get sidecarset ${k.namespace}`));
  log.add(
    'kruise status SidecarSet/NAMESPACE',
    await bundle.run(k, 'status', `SidecarSet/${k.namespace}`, ...access),
  );
}

/** Two pods whose working half has the first image. */
async function begin(k: Kubectl, cluster: SidecarCluster): Promise<void> {
  cluster.startRuntime();
  await cluster.inject(meshSet(k, '1'));
  await k.run('create -f -', deployment);
  await cluster.ready(2);
  await cluster.recorded(2);
  expect(await halves(cluster)).toEqual(twice(FIRST));
  expect(await versions(cluster)).toEqual(twice('1 0 0 1'));
}

/** The plan names the workload whose pods the set selects. */
function rollOut(k: Kubectl, cluster: SidecarCluster, tag: string, phase: string): Promise<string> {
  const web = deployment.replace('  name: web\n', `  name: web\n  namespace: ${k.namespace}\n`);
  const unchanged = { 'kruise.yaml': steps, 'web.yaml': web };
  return cluster.rollOut({ before: meshSet(k, '1'), after: meshSet(k, tag), unchanged }, phase);
}

suite(
  'sidecar-hot-upgrade',
  (test) => {
    test('the idle container of a pair takes over in each pod, and no pod is recreated', async (k) => {
      await inSidecarCluster(bundle, k, async (cluster) => {
        const log = logOf('the idle container of a pair takes over in each pod');
        await begin(k, cluster);
        await show(k, cluster, log);
        const uids = await cluster.each('{.metadata.uid}');
        const columns = [`NAME:.metadata.name`, ...IMAGES.map((path) => `IMAGE:${path}`), `WORKS:${WORKING}`];
        const watch = await k.watching(
          `get pods -l app=web -w --no-headers -o 'custom-columns=${columns.join()}'`,
        );
        log.add('kruise plan after --base-dir before', await rollOut(k, cluster, '2', 'Succeeded'));

        const LAST = pair('empty:1', 'mesh:2', 'mesh-2');
        const seen = () => sequences(watch.printed());
        await cluster.until('all that a watch shows', () =>
          Promise.resolve(seen().every((each) => each.at(-1) === LAST)),
        );
        expect(seen()).toEqual(
          Array.from({ length: 2 }, () => [FIRST, pair('mesh:1', 'mesh:2', 'mesh-2'), LAST]),
        );
        watch.stop();
        await watch.done;
        log.add(
          'kubectl get pods -l app=web -o custom-columns=… --watch # each change of one pod',
          (seen()[0] ?? []).join('\n'),
        );
        await show(k, cluster, log);
        expect(await halves(cluster)).toEqual(twice(LAST));
        // A version is the resourceVersion that the set had when the pod was updated.
        const known = (await versions(cluster)).map((text) =>
          text.replace(/^0 (\d+) \1 0$/, 'empty, and new'),
        );
        expect(known).toEqual(twice('empty, and new'));
        expect(await cluster.each('{.metadata.uid}')).toEqual(uids);
        expect(await cluster.each('{.status.containerStatuses[?(@.name=="main")].restartCount}')).toEqual(
          twice('0'),
        );
        expectGolden('e2e/sidecar-hot-upgrade.txt', log.text());
        expect(await cluster.stopRuntime()).toBe(0);
      });
    });

    test('a container that does not take over halts the plan, and the pod is as it was', async (k) => {
      await inSidecarCluster(bundle, k, async (cluster) => {
        const log = logOf('a container that does not take over halts the plan');
        await begin(k, cluster);
        const uids = await cluster.each('{.metadata.uid}');
        log.add('kruise plan after --base-dir before', await rollOut(k, cluster, '3-crashing', 'Halted'));
        expect(await cluster.plan('message')).toContain('restarted');
        await cluster.until(
          'the way back',
          async () => (await halves(cluster)).join() === twice(FIRST).join(),
        );
        await cluster.until('both pods in the status of the set', async () => {
          const path = '{.status.readyPods}';
          return (await k.raw(`get sidecarset ${k.namespace} -o jsonpath=${path}`)).out === '2';
        });
        expect(await versions(cluster)).toEqual(twice('1 0 0 1'));
        expect(await cluster.each('{.metadata.uid}')).toEqual(uids);
        expect(await cluster.each('{.status.containerStatuses[?(@.name=="mesh-1")].restartCount}')).toEqual(
          twice('0'),
        );
        await show(k, cluster, log);
        expectGolden('e2e/sidecar-hot-upgrade-fails.txt', log.text());
        expect(await cluster.stopRuntime()).toBe(0);
      });
    });
  },
  { workloads: true },
);
