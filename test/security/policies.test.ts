import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds, plannedKinds } from '../../semantics/registry/registry.ts';
import { root } from '../deploy/cluster.ts';
import { canPolice, police } from '../deploy/policed.ts';
import { expectGolden } from '../golden.ts';
import type { Attempt } from './attempt.ts';
import { type Attempts, attemptsIn, usersIn } from './attempts.ts';
import { objectsIn, workloadSpec } from './objects.ts';

const shop = `kruise-security-${process.pid}`;
const users = usersIn(shop);

describe.skipIf(!canPolice)('security 1, 2 and 15: the policies', () => {
  let attempts: Attempts = { memory: [], token: [], targets: [], created: [] };
  const { kubectl, done, install, until, close } = police([shop, 'kube-system', 'kruise-system']);

  async function outcome({ as, title, line, object }: Attempt): Promise<string> {
    const { code, err } = await kubectl(
      `${line} --dry-run=server --as ${users[as]}`,
      object && JSON.stringify(object),
    );
    const result = err.replace(/^.*denied request: /s, '').trim();
    return `${as} ${title}\n    ${code === 0 ? 'allowed' : `refused: ${result}`}\n`.replaceAll(
      shop,
      'NAMESPACE',
    );
  }

  /** A target of this kind, which the administrator creates. */
  async function made(kind: string, name: string, spec: object): Promise<{ uid: string }> {
    const metadata = { name, namespace: shop };
    const target = { apiVersion: 'apps.kruise.io/v1beta1', kind, metadata, spec };
    const { metadata: stored } = JSON.parse(await done('create -o json -f -', JSON.stringify(target))) as {
      metadata: { uid: string };
    };
    return stored;
  }

  beforeAll(async () => {
    await done(`create namespace ${shop}`);
    await install();
    const clusterAdmin = (name: string, subject: string) =>
      done(`create clusterrolebinding ${shop}-${name} --clusterrole=cluster-admin ${subject}`);
    await clusterAdmin('administrator', `--user=${users['an administrator']}`);
    await clusterAdmin('manager', '--serviceaccount=kruise-system:kruise-manager');
    await clusterAdmin('other', `--serviceaccount=${shop}:kruise-runtime`);
    // kubectl reads a status before it patches it.
    await done(`create role status-reader -n ${shop} --verb=get --resource=pods/status`);
    await done(
      `create rolebinding status-reader -n ${shop} --role=status-reader --serviceaccount=kruise-system:kruise-runtime`,
    );
    const { uid: web } = await made('CloneSet', 'web', {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
      },
    });
    const { uid: tidy } = await made('AdvancedCronJob', 'tidy', {
      schedule: '@yearly',
      paused: true,
      template: {
        broadcastJobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tidy:1' }] } },
          },
        },
      },
    });
    const { uid: zones } = await made('UnitedDeployment', 'zones', {
      replicas: 0,
      selector: { matchLabels: { app: 'zones' } },
      topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
      template: { cloneSetTemplate: { spec: workloadSpec() } },
    });
    const owners = { web, tidy, zones };
    attempts = attemptsIn(shop, owners);
    const { owner, revision, pod, launched, selected, claim, run, scheduled, workload } = objectsIn(
      shop,
      owners,
    );
    // Each by a permitted user: the runtime the objects of a CloneSet, the administrator the rest.
    for (const make of [revision, pod, claim]) {
      await done(`create -f - --as ${users['the runtime']}`, JSON.stringify(make({ name: 'ours' })));
      await done('create -f -', JSON.stringify(make({ name: 'nobodys', owners: [] })));
    }
    await done(
      `create -f - --as ${users['the runtime']}`,
      JSON.stringify(claim({ name: 'data-db-0', owners: [] })),
    );
    for (const orphan of [pod({ name: 'web-0', owners: [] }), revision({ name: 'web-0', owners: [] })])
      await done('create -f -', JSON.stringify(orphan));
    await done('create -f -', JSON.stringify(pod({ name: 'web-a', owners: [] })));
    await done('create -f -', JSON.stringify(selected({ name: 'selected', owners: [] })));
    await done(
      'create -f -',
      JSON.stringify(launched({ name: 'launched', owners: [], annotations: { own: '1' } })),
    );
    await done('create -f -', JSON.stringify(run({ name: 'plain', owners: [] })));
    const child = run({ name: 'tidy-1', ...scheduled }, { parallelism: 3 });
    await done(`create -f - --as ${users["OpenKruise's manager"]}`, JSON.stringify(child));
    await done(`create -f - --as ${users['the runtime']}`, JSON.stringify(workload({ name: 'zones-a' })));
    const loose = [owner({ controller: false })];
    for (const meta of [
      { name: 'orphan', owners: [], annotations: { 'plan.kruise.io/complete': '1' } },
      { name: 'loose', owners: loose, annotations: { 'plan.kruise.io/complete': '1' } },
    ])
      await done(`create -f - --as ${users["OpenKruise's manager"]}`, JSON.stringify(revision(meta)));
    const { memory, token, created } = attempts;
    const probes = [
      memory.find(({ as }) => as === 'an administrator'),
      token[1],
      token.find(({ title }) => title.includes('Lease of somebody')),
      created[2],
    ];
    for (const probe of probes)
      if (probe !== undefined)
        await until('the policies are in force', async () => (await outcome(probe)).includes('refused'));
  }, 120_000);

  afterAll(async () => {
    await kubectl(`delete namespace ${shop} --wait=false`);
    for (const name of ['administrator', 'manager', 'other'])
      await kubectl(`delete clusterrolebinding ${shop}-${name}`);
    await close();
  });

  test.each([
    ['security 1: a command names a target of its own namespace and of our kinds', 'targets', 'targets.txt'],
    ['security 2: the memory of rollouts is written by the runtime alone', 'memory', 'memory.txt'],
    [
      'security 15: with the token of the runtime only what our kinds own is written',
      'token',
      'stolen-token.txt',
    ],
    [
      'security 1: nobody but the runtime creates what needs no plan of its own',
      'created',
      'created-targets.txt',
    ],
  ] as const)('%s', { timeout: 120_000 }, async (title, which, golden) => {
    const lines: string[] = [];
    for (const attempt of attempts[which]) lines.push(await outcome(attempt));
    expectGolden(`security/${golden}`, `# ${title}\n\n${lines.join('')}`);
  });
});

test('security 2 and 15: the policies name every managed kind, and no other', () => {
  const read = (file: string) => readFileSync(join(root, 'deploy/policy', file), 'utf8');
  for (const group of new Set(plannedKinds.map(({ resource }) => resource.group))) {
    const names = plannedKinds
      .filter(({ resource }) => resource.group === group)
      .map(({ id }) => `'${id.kind}'`);
    const owner = `owner.apiVersion.startsWith('${group}/') && owner.kind in [${names.join(', ')}]`;
    expect(read('revisions.yaml')).toContain(owner);
    expect(read('runtime.yaml')).toContain(owner);
  }
  for (const namespaced of [true, false]) {
    const some = kinds.flatMap(({ resource }) => (resource.namespaced === namespaced ? [resource] : []));
    const planned = plannedKinds.filter(({ resource }) => resource.namespaced === namespaced);
    const tuples = planned.map(({ id: { group, kind } }) => `'${group} ${kind}'`);
    for (const group of new Set(some.map((resource) => resource.group))) {
      const own = some.filter((resource) => resource.group === group).map(({ kind }) => `'${kind}'`);
      expect(read('runtime.yaml')).toContain(`involvedObject.?kind.orValue('') in [${own.join(', ')}]`);
    }
    expect(read('commands.yaml')).toContain(`[${tuples.join(', ')}]`);
  }
});
