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

const names = '-o custom-columns=NAMES:.spec.containers[*].name';
const access = ['--kubeconfig', '.kubeconfig'];

/** A dry run of a pod: which containers it would have. */
const tried = (k: Kubectl, name: string) =>
  k.run(
    `run ${name} --image=example.com/web:1 -l app=web --dry-run=server -o jsonpath={.spec.containers[*].name}`,
  );

suite(
  'sidecar-admission',
  (test) => {
    test('a command gives new pods their sidecars over TLS, with a renewed certificate too, until it ends', async (k) => {
      const ca = await mount(k);
      const { program, url } = await beginAdmission(bundle, k);
      try {
        expect(
          await bundle.run(k, 'admission', 'install', '--ca', ca, '--url', url, ...access),
        ).toMatchInlineSnapshot(
          `kruise-admission is installed; kruise admission check shows whether it answers`,
        );
        const check = (): Promise<string> => bundle.run(k, 'admission', 'check', ...access);
        await eventually('the webhook', async () => (await check()).startsWith('the webhook answers'));
        expect(await check()).toMatchInlineSnapshot(
          `the webhook answers: the containers of a pod in NAMESPACE start in their order, and no set adds a container to it`,
        );
        await k.run('apply -f -', setIn(k));
        // The caches of the command follow.
        await eventually('a sidecar', async () => (await tried(k, 'probe')) === 'probe proxy');
        expect(await check()).toMatchInlineSnapshot(
          `the webhook answers: a pod in NAMESPACE gets proxy of NAMESPACE`,
        );

        await k.run('create -f -', deployment);
        const pods = `get pods -l app=web --no-headers ${names}`;
        await eventually('two pods', async () => (await k.run(pods)).split('\n').length === 2);
        expect(await k.run(pods)).toMatchInlineSnapshot(`
          main,proxy
          main,proxy
        `);
        expect(
          await k.run(`run other --image=example.com/web:1 -o jsonpath={.spec.containers[*].name}`),
        ).toMatchInlineSnapshot(`other`);

        const renewed = await mount(k);
        await eventually('the new certificate', () => program.output().includes('certificate was renewed'));
        expect(
          await bundle.run(k, 'admission', 'install', '--ca', renewed, '--url', url, ...access),
        ).toMatchInlineSnapshot(
          `kruise-admission is installed; kruise admission check shows whether it answers`,
        );
        await eventually('the new authority', async () => (await tried(k, 'probe')) === 'probe proxy');

        expect(await program.stop()).toBe(0);
        expect(await tried(k, 'probe')).toBe('probe');
        expect(await bundle.run(k, 'admission', 'check', ...access)).toMatchInlineSnapshot(`
          [stderr]
          kruise admission: the webhook does not answer: a pod in NAMESPACE lacks proxy of NAMESPACE; look at the pods and logs of kruise-admission in kruise-system, and install the authority again
          [exit 1]
        `);
      } finally {
        await program.kill();
        await k.run('delete mutatingwebhookconfiguration kruise-admission --ignore-not-found');
        await k.run(`delete sidecarset ${k.namespace} --ignore-not-found`);
      }
    });
  },
  { nodes: 1, workloads: true },
);
