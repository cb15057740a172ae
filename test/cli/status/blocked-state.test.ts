import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneSet } from '../../runtime/stage.ts';
import { kruise } from '../world/at-sandbox.ts';
import { emptyFolder, endSandboxes, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

test('a table reports unschedulable pods, once and with --watch', async () => {
  const folder = emptyFolder();
  const web = cloneSet('web', 'web:1', { replicas: 2 });
  Object.assign((web['spec'] as { template: { spec: object } }).template.spec, {
    nodeSelector: { disk: 'no' },
  });
  writeFileSync(
    join(folder, 'web.yaml'),
    JSON.stringify({ ...web, metadata: { name: 'web', namespace: 'default' } }),
  );
  await startReady(['--load', 'web.yaml', '--speed', '20'], { folder });
  const once = async (): Promise<string> => (await kruise(folder, ['status'])).out;
  await expect
    .poll(once, { timeout: 20_000 })
    .toMatch(
      /CloneSet\/web +2\/2 +0\/2 +Unschedulable +\S+ +pod web-\w+ and 1 more cannot be scheduled: 0\/\d+ nodes are available.*\n$/,
    );
  const { out } = await kruise(folder, ['status', '-w', '--timeout', '1s']);
  expect(out).toMatch(
    /^\S+Z default\/CloneSet\/web: no plan, 2\/2 updated, 0\/2 ready; pod web-\w+ and 1 more cannot be scheduled/,
  );
}, 30_000);
