import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeIdentity } from 'kruise-sandbox/http';
import { bundleKruise } from '../cli/world/bundle.ts';
import { eventually, startProgram, type Program } from './rollouts/programs.ts';
import { start } from './run.ts';
import type { Kubectl } from './suite.ts';

/** The bundled command line, in a folder of its own. */
export interface Bundle {
  /** Runs a command of kruise to its end, in the folder of the case, and returns its output without varying parts. */
  run(k: Kubectl, ...words: string[]): Promise<string>;
  /** Starts a command of kruise that runs until it is stopped. */
  start(k: Kubectl, ...words: string[]): Program;
  remove(): void;
}

export async function makeBundle(): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-sidecars-'));
  const kruise = await bundleKruise(join(folder, 'program'));
  return {
    async run(k, ...words) {
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
      return k.text(await start({ path: process.execPath, args: [kruise, ...words], env, cwd: k.dir }).done);
    },
    start: (k, ...words) => startProgram({ kruise, args: words, cwd: k.dir }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A set for the namespace of the case alone, as it is cluster-scoped. */
export const setIn = (
  { namespace }: Kubectl,
  image = 'example.com/proxy:1',
) => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: ${namespace}
spec:
  namespaceSelector:
    matchLabels: { kubernetes.io/metadata.name: ${namespace} }
  selector:
    matchLabels: { app: web }
  containers:
    - name: proxy
      image: ${image}
      podInjectPolicy: AfterAppContainer
`;

/** Mounts a new certificate, each file whole, and returns the path of its authority. */
export async function mount(k: Kubectl): Promise<string> {
  const { key, certificate } = await makeIdentity();
  for (const [name, text] of [
    ['tls.key', key],
    ['tls.crt', certificate],
  ] as const)
    renameSync(k.file(`certificates/${name}.new`, text), join(k.dir, 'certificates', name));
  return 'certificates/tls.crt';
}

/** Starts `kruise run --admission`, and waits for its port. */
export async function beginAdmission(bundle: Bundle, k: Kubectl): Promise<{ program: Program; url: string }> {
  const args = ['run', '--admission', '--certificates', 'certificates', '--admission-port', '0'];
  // Records of cluster-scoped objects are in the namespace of the test.
  args.push('--lease-namespace', k.namespace);
  const access = ['--kubeconfig', '.kubeconfig', '--port', '0', '--log', 'text'];
  const program = bundle.start(k, ...args, ...access);
  const context = () => program.output();
  const port = await eventually(
    'the port of reviews',
    () => /answered on port (\d+)/.exec(program.output())?.[1],
    { context },
  );
  return { program, url: `https://127.0.0.1:${port}/pods` };
}
