import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { authorized, createVirtualClock, createWorld, serviceAccount } from 'kruise-sandbox';
import { parseAllDocuments } from 'yaml';
import { admissionConfiguration } from '../../runtime/admit/configuration.ts';
import { createAdmissionCaches } from '../../runtime/admit/sources.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { permissionsOf, without } from './roles.ts';
import { grant } from './scenario.ts';

const file = (name: string): KubeObject[] =>
  parseAllDocuments(
    readFileSync(new URL(`../../deploy/components/admission/${name}`, import.meta.url), 'utf8'),
  ).map((each) => each.toJS() as KubeObject);
const user = serviceAccount('kruise-system', 'kruise-admission');

/** What its caches still wait for under these roles, after a minute; undefined: nothing. */
async function pendingUnder(objects: readonly KubeObject[]): Promise<string | undefined> {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['kruise-system'], nodes: 0, crds: [...crds] });
  grant(world, objects);
  const refused: string[] = [];
  const cluster = authorized(world, user, ({ verb, resource }, allowed) => {
    if (!allowed) refused.push(`${verb} ${resource}`);
  });
  const caches = createAdmissionCaches({
    cluster,
    clock,
    random: () => 0.5,
    injectors: podInjectors,
    kinds: [],
    stateNamespace: 'kruise-system',
    policy: 'Required',
    onError() {},
    onSync() {},
    onLeftOut() {},
  });
  caches.start();
  await clock.advance(60_000);
  const { pending } = caches;
  caches.stop();
  world.stop();
  return pending ?? refused[0];
}

/** The options `--policy` in a file of deploy/. */
const policiesIn = (path: string): string[] =>
  readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes('--policy='))
    .map((line) => line.trim());

test.each([
  ['by kustomize', 'runtime/deployment.yaml', 'components/admission/deployment.yaml'],
  ['by the chart', 'chart/templates/runtime-deployment.yaml', 'chart/templates/admission-deployment.yaml'],
])('installed %s, the runtime and the admission decide by one policy', (_what, runtime, admission) => {
  expect(policiesIn(runtime)).toHaveLength(1);
  expect(policiesIn(admission)).toEqual(policiesIn(runtime));
});

describe('the role of the admission', () => {
  const objects = file('rbac.yaml');

  test('is enough', async () => {
    expect(await pendingUnder(objects)).toBeUndefined();
  });

  test('has no permission too many, and none that writes', async () => {
    const all = permissionsOf(objects);
    expect(all).toHaveLength(6);
    expect(all.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toEqual([]);
    for (const permission of all)
      expect([permission, await pendingUnder(without(objects, permission))]).toEqual([
        permission,
        expect.stringContaining(permission.resource),
      ]);
  });
});

test('its Deployment serves what the configuration asks', () => {
  const [service] = file('service.yaml');
  const [deployment] = file('deployment.yaml');
  const text = JSON.stringify(deployment);
  expect(JSON.stringify(service)).toContain('[{"name":"reviews","port":443,"targetPort":"reviews"}]');
  expect(text).toContain('{"name":"reviews","containerPort":9443}');
  expect(text).toContain('"replicas":2');
  expect(text).toContain('"--admission","--certificates=/etc/kruise/tls","--admission-port=9443"');
  const selected = admissionConfiguration(() => ({}), [service?.metadata.namespace ?? '']);
  expect(JSON.stringify(selected)).toContain(
    '"values":["kube-system","argocd","flux-system","kruise-system"]',
  );
});
