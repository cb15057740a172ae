import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { request } from '../world/sandbox-client.ts';
import { cloneSet } from '../world/sandbox-manifests.ts';
import { emptyFolder, endSandboxes, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

const TARGET = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets/web';

function patch(body: object): { method: string; body: string; contentType: string } {
  return { method: 'PATCH', body: JSON.stringify(body), contentType: 'application/merge-patch+json' };
}

it('report that a target is held, with the reason, and when it is no longer held', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'web.yaml'), cloneSet('web'));
  const run = await startReady(['--load', 'web.yaml', '--speed', '100'], { folder });
  await expect.poll(() => run.err, { timeout: 5_000 }).toContain('set InPlaceUpdateReady=True');
  await request(
    folder,
    TARGET,
    patch({ metadata: { annotations: { 'plan.kruise.io/policy': 'Required' } } }),
  );
  const image = (tag: string) => ({
    spec: { template: { spec: { containers: [{ name: 'main', image: `web:${tag}` }] } } },
  });
  await request(folder, TARGET, patch(image('2')));
  await expect
    .poll(() => run.err, { timeout: 5_000 })
    .toMatch(
      /default\/web {2}held: NoPlan: the template of CloneSet default\/web changed and no plan covers it/,
    );
  await request(folder, TARGET, patch({ metadata: { annotations: { 'plan.kruise.io/policy': 'Auto' } } }));
  await expect.poll(() => run.err, { timeout: 5_000 }).toContain('default/web  no longer held\n');
});

it('report once per kind that nothing creates its pods', async () => {
  const run = await startReady([]);
  const controller = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
    },
  });
  for (const name of ['a', 'b'])
    await request(run.folder, '/api/v1/namespaces/default/replicationcontrollers', {
      method: 'POST',
      body: JSON.stringify(controller(name)),
      contentType: 'application/json',
    });
  expect(
    run.err.match(
      /default\/a {2}a ReplicationController is stored, but no controller creates pods for it\n/g,
    ),
  ).toHaveLength(1);
  expect(run.err).not.toContain('default/b');
});
