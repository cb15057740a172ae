import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { makeIdentity } from 'kruise-sandbox/http';
import { bundleKruise } from '../cli/world/bundle.ts';
import { runningDeployment as deployment } from './manifests.ts';
import { eventually, startProgram, type Program } from './rollouts/programs.ts';
import { start } from './run.ts';
import { suite, type Kubectl } from './suite.ts';

let folder = '';
let kruise = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-admission-'));
  kruise = await bundleKruise(join(folder, 'program'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A set for the namespace of the case alone: it is cluster-scoped. */
const set = ({ namespace }: Kubectl) => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: ${namespace}
spec:
  namespace: ${namespace}
  selector:
    matchLabels: { app: web }
  containers:
    - name: proxy
      image: example.com/proxy:1
      podInjectPolicy: AfterAppContainer
`;

const names = '-o custom-columns=NAMES:.spec.containers[*].name';

/** Runs `kruise admission` to its end. */
async function admission(k: Kubectl, ...words: string[]): Promise<string> {
  const args = [kruise, 'admission', ...words, '--kubeconfig', '.kubeconfig'];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  return k.text(await start({ path: process.execPath, args, env, cwd: k.dir }).done);
}

/** Mounts a new certificate, each file whole, and returns the path of its authority. */
async function mount(k: Kubectl): Promise<string> {
  const { key, certificate } = await makeIdentity();
  for (const [name, text] of [
    ['tls.key', key],
    ['tls.crt', certificate],
  ] as const)
    renameSync(k.file(`certificates/${name}.new`, text), join(k.dir, 'certificates', name));
  return 'certificates/tls.crt';
}

/** Starts `kruise run --admission`, and waits for its port. */
async function begin(k: Kubectl): Promise<{ program: Program; url: string }> {
  const args = ['run', '--admission', '--certificates', 'certificates', '--admission-port', '0'];
  const access = ['--kubeconfig', '.kubeconfig', '--port', '0', '--log', 'text'];
  const program = startProgram({ kruise, args: [...args, ...access], cwd: k.dir });
  const context = () => program.output();
  const port = await eventually(
    'the port of reviews',
    () => /answered on port (\d+)/.exec(program.output())?.[1],
    { context },
  );
  return { program, url: `https://127.0.0.1:${port}/pods` };
}

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
      const { program, url } = await begin(k);
      try {
        expect(await admission(k, 'install', '--ca', ca, '--url', url)).toMatchInlineSnapshot(
          `kruise-admission is installed; kruise admission check shows whether it answers`,
        );
        expect(await admission(k, 'check')).toMatchInlineSnapshot(`
          [stderr]
          kruise admission: nothing can be checked: no set adds a container to a pod in NAMESPACE; name another namespace with --namespace, or create a set first
          [exit 1]
        `);
        await k.run('apply -f -', set(k));
        // The caches of the command follow.
        await eventually('a sidecar', async () => (await tried(k, 'probe')) === 'probe proxy');
        expect(await admission(k, 'check')).toMatchInlineSnapshot(
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
        expect(await admission(k, 'install', '--ca', renewed, '--url', url)).toMatchInlineSnapshot(
          `kruise-admission is installed; kruise admission check shows whether it answers`,
        );
        await eventually('the new authority', async () => (await tried(k, 'probe')) === 'probe proxy');

        expect(await program.stop()).toBe(0);
        expect(await tried(k, 'probe')).toBe('probe');
        expect(await admission(k, 'check')).toMatchInlineSnapshot(`
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
