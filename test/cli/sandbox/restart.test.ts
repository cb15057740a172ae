import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { bundleKruise } from '../world/bundle.ts';
import { request, itemsAt, KUBECONFIG } from '../world/sandbox-client.ts';
import { cloneSet } from '../world/sandbox-manifests.ts';
import { killAll, startProcess, type Process } from '../world/sandbox-process.ts';
import { emptyFolder, endSandboxes } from '../world/sandbox-run.ts';

const REPLICAS = 6;
const WEB = '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets/web';
const PODS = '/api/v1/namespaces/default/pods';

const folder = emptyFolder();
let program = '';
beforeAll(async () => {
  program = await bundleKruise(join(folder, 'program'));
});
afterAll(async () => {
  killAll();
  await endSandboxes();
});

async function start(...args: string[]): Promise<Process> {
  const files = { state: join(folder, 'state'), kubeconfig: join(folder, KUBECONFIG) };
  const started = startProcess(program, files, ['--speed', '10', ...args]);
  if ((await started.ready) === undefined) throw new Error(started.output());
  return started;
}

const pods = (): Promise<Pod[]> => itemsAt<Pod>(folder, PODS);
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
const byName = (of: (pod: Pod) => unknown, all: readonly Pod[]): object =>
  Object.fromEntries(all.map((pod) => [pod.metadata.name, of(pod)]));
const statusOf = (pod: Pod) => pod.status?.containerStatuses?.[0];
function poll<T>(read: () => Promise<T>) {
  return expect.poll(read, { timeout: 20_000, interval: 50 });
}

test(
  'pods keep running when it is killed, and an update in place continues',
  { timeout: 90_000 },
  async () => {
    const manifest = cloneSet('web').replace(
      'replicas: 2',
      `replicas: ${REPLICAS}\n  updateStrategy: { type: InPlaceIfPossible }`,
    );
    writeFileSync(join(folder, 'web.yaml'), manifest);
    let sandbox = await start('--load', join(folder, 'web.yaml'));
    const again = async (): Promise<void> => {
      sandbox.child.kill('SIGKILL');
      await sandbox.ended;
      sandbox = await start();
    };
    // Also killed while pods are being created.
    await again();
    await poll(async () => (await pods()).filter(isReady).length).toBe(REPLICAS);
    const before = await pods();

    await again();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(byName(statusOf, await pods())).toEqual(byName(statusOf, before));

    const operation = { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:2' };
    const body = JSON.stringify([operation]);
    await request(folder, WEB, { method: 'PATCH', body, contentType: 'application/json-patch+json' });
    const updated = async (): Promise<number> =>
      (await pods()).filter((pod) => (statusOf(pod)?.image ?? '').endsWith('web:2') && isReady(pod)).length;
    for (const count of [1, 2, 4]) {
      await poll(updated).toBeGreaterThanOrEqual(count);
      await again();
    }
    await poll(updated).toBe(REPLICAS);
    const after = await pods();
    expect(byName(({ metadata, status }) => [metadata.uid, status?.podIP], after)).toEqual(
      byName(({ metadata, status }) => [metadata.uid, status?.podIP], before),
    );
    expect(byName((pod) => statusOf(pod)?.restartCount, after)).toEqual(byName(() => 1, before));
    expect(new Set(after.map(({ status }) => status?.podIP)).size).toBe(REPLICAS);
  },
);
