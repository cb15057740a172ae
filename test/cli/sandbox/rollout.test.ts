import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import { createRepository } from '../../../examples/demo/repository.ts';
import { readStates } from '../../../examples/demo/states.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { request, itemsAt } from '../world/sandbox-client.ts';
import { emptyFolder, endSandboxes, startReady } from '../world/sandbox-run.ts';

const example = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/approval');
const WEB = '/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets/web';
const PLAN = '/apis/plan.kruise.io/v1alpha1/namespaces/shop/rolloutplans/cloneset-web';
const COMMANDS = '/apis/plan.kruise.io/v1alpha1/namespaces/shop/rolloutcommands';
const PODS = '/api/v1/namespaces/shop/pods';

afterEach(endSandboxes);

/** Runs a command in a folder; returns its output. */
async function kruise(cwd: string, ...args: string[]): Promise<string> {
  let out = '';
  let err = '';
  const host = {
    ...nodeHost(),
    cwd,
    env: {},
    stdoutIsTTY: false,
    stdout: (text: string) => void (out += text),
    stderr: (text: string) => void (err += text),
  };
  const code = await main(host, args);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return out;
}

function rowsOf(pods: readonly Pod[]): object[] {
  return pods.map(({ metadata, spec, status }) => ({
    uid: metadata.uid,
    image: spec.containers[0]?.image,
    restarts: status?.containerStatuses?.[0]?.restartCount,
  }));
}

test('an example is planned in git, synced, approved and rolled out in place', async () => {
  const [first, second] = readStates(example);
  if (first === undefined || second === undefined) throw new Error('the example has two states');
  const repository = createRepository(emptyFolder());
  const folder = repository.folder;
  repository.write(first.files);
  repository.commit(first.title);
  await startReady(['--load', 'manifests', '--speed', '20'], { folder });
  const pods = (): Promise<Pod[]> => itemsAt<Pod>(folder, PODS);
  const ready = (pod: Pod): boolean =>
    pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  function poll<T>(read: () => Promise<T>) {
    return expect.poll(read, { timeout: 20_000, interval: 20 });
  }
  await poll(async () => (await pods()).filter(ready).length).toBe(4);
  const before = await pods();

  repository.write(second.files);
  expect(await kruise(folder, 'plan', '--base-dir', repository.base)).toContain('4 pods updated in place');
  const sync = async (path: string, file: string): Promise<void> => {
    const body = readFileSync(join(folder, file), 'utf8');
    const sent = { method: 'PATCH', body, contentType: 'application/apply-patch+yaml' };
    const { code } = await request(folder, `${path}?fieldManager=engine&force=true`, sent);
    expect([200, 201]).toContain(code);
  };
  await sync(WEB, 'manifests/web.yaml');
  await sync(PLAN, 'plans/shop/cloneset-web/plan.yaml');

  const phase = async (): Promise<unknown> =>
    ((await request(folder, PLAN)).body['status'] as { phase?: string } | undefined)?.phase;
  await poll(phase).toBe('AwaitingApproval');
  const images = async (): Promise<number> =>
    (await pods()).filter(({ spec }) => spec.containers[0]?.image === 'nginx:1.27-alpine').length;
  expect(await images()).toBe(1);
  // A minute passes without an approval.
  await new Promise((resolve) => setTimeout(resolve, 60_000 / 20));
  expect([await phase(), await images()]).toEqual(['AwaitingApproval', 1]);

  const command = await kruise(folder, 'approve', 'CloneSet/web', '-n', 'shop', '-o', 'yaml');
  const sent = { method: 'POST', body: command, contentType: 'application/yaml' };
  expect((await request(folder, COMMANDS, sent)).code).toBe(201);
  await poll(phase).toBe('Succeeded');
  const after = await pods();
  expect(rowsOf(after)).toEqual(
    before.map(({ metadata: { uid } }) => ({ uid, image: 'nginx:1.27-alpine', restarts: 1 })),
  );
});
