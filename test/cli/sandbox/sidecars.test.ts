import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { findBinaries } from '../../e2e/binaries.ts';
import { cloneSet } from '../world/sandbox-manifests.ts';
import { endSandboxes, startReady, type SandboxRun } from '../world/sandbox-run.ts';
import { KUBECONFIG } from '../world/sandbox-client.ts';

afterEach(endSandboxes);

const [kubectl] = findBinaries();

const sidecars = `apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  namespace: default
  containers:
  - {name: mesh, image: "mesh:1", transferEnv: [{sourceContainerName: main, envName: ZONE}]}
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - {name: logs, image: "logs:1", podInjectPolicy: AfterAppContainer}
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "nginx:1", env: [{name: ZONE, value: a}]}
`;

async function run(at: SandboxRun, ...args: readonly string[]): Promise<string> {
  if (kubectl === undefined) throw new Error('no kubectl runs here');
  const env = { KUBECONFIG: join(at.folder, KUBECONFIG), HOME: at.folder, PATH: '' };
  const { stdout } = await promisify(execFile)(kubectl.path, args, { cwd: at.folder, env });
  return stdout;
}

const CONTAINERS = 'jsonpath={range .items[*]}{.spec.containers[*].name}{"\\n"}{end}';

describe.runIf(kubectl !== undefined)('SidecarSets in kruise sandbox', () => {
  test('kubectl apply of two sets and a Deployment just works', { timeout: 60_000 }, async () => {
    const at = await startReady(['--speed', '20', '--quiet']);
    writeFileSync(join(at.folder, 'sets.yaml'), sidecars);
    writeFileSync(join(at.folder, 'web.yaml'), deployment);
    await run(at, 'apply', '-f', 'sets.yaml');
    await run(at, 'apply', '-f', 'web.yaml');
    await run(at, 'rollout', 'status', 'deployment/web', '--timeout=30s');
    const pods = ['get', 'pods', '-l', 'app=web', '-o'];
    expect(await run(at, ...pods, CONTAINERS)).toBe('mesh main logs\n'.repeat(2));
    const env = 'jsonpath={.items[0].spec.containers[0].env[*].name}';
    expect(await run(at, ...pods, env)).toBe('IS_INJECTED ZONE');
    const list = String.raw`jsonpath={.items[0].metadata.annotations.kruise\.io/sidecarset-injected-list}`;
    expect(await run(at, ...pods, list)).toBe('logs,mesh');
    // The template has none of it.
    const own = 'jsonpath={.spec.template.spec.containers[*].name}';
    expect(await run(at, 'get', 'deployment', 'web', '-o', own)).toBe('main');
  });

  test(
    'pods of a CloneSet get them, too, and a set that is paused gives nothing',
    { timeout: 60_000 },
    async () => {
      const at = await startReady(['--speed', '20', '--quiet']);
      writeFileSync(
        join(at.folder, 'sets.yaml'),
        sidecars
          .replace(
            'podInjectPolicy: AfterAppContainer}',
            'podInjectPolicy: AfterAppContainer}\n  injectionStrategy: {paused: true}',
          )
          .replace('  namespace: default\n', ''),
      );
      writeFileSync(join(at.folder, 'web.yaml'), cloneSet('web'));
      await run(at, 'apply', '-f', 'sets.yaml');
      await run(at, 'apply', '-f', 'web.yaml');
      // A wait for pods by their labels fails where there are none yet.
      const allReady = '--for=jsonpath={.status.readyReplicas}=2';
      await run(at, 'wait', 'clonesets.apps.kruise.io/web', allReady, '--timeout=30s');
      const found = await run(at, 'get', 'pods', '-A', '-l', 'app=web', '-o', CONTAINERS);
      expect([...new Set(found.trim().split('\n'))]).toEqual(['mesh main']);
    },
  );

  test('without the runtime nothing is injected', { timeout: 60_000 }, async () => {
    const at = await startReady(['--speed', '20', '--no-runtime']);
    writeFileSync(join(at.folder, 'all.yaml'), `${sidecars}---\n${deployment}`);
    await run(at, 'apply', '-f', 'all.yaml');
    await run(at, 'rollout', 'status', 'deployment/web', '--timeout=30s');
    expect(await run(at, 'get', 'pods', '-l', 'app=web', '-o', CONTAINERS)).toBe('main\n'.repeat(2));
  });
});
