import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeIdentity } from 'kruise-sandbox/http';
import { resources } from '../../schemas/wire/resources.ts';
import { createSite, type Site } from './process-world.ts';
import { createProgram, type Program, type Started } from './program.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

let program: Program;
let site: Site;

beforeAll(async () => {
  site = await createSite(10);
  program = await createProgram(site.connection, 'shop');
  const twice = '  - name: errors\n    http: {url: "http://127.0.0.1/"}\n';
  writeFileSync(join(program.folder, 'checks.yaml'), `checks:\n${twice}${twice}`);
  // Reviews are served once there is a certificate.
  const { key, certificate } = await makeIdentity();
  mkdirSync(join(program.folder, 'tls'));
  writeFileSync(join(program.folder, 'tls', 'tls.key'), key);
  writeFileSync(join(program.folder, 'tls', 'tls.crt'), certificate);
}, 60_000);

afterAll(async () => {
  program.close();
  await site.close();
});

const run = (...words: string[]): Started => program.start('run', ...words);
const here = (...words: string[]): Started => run('--kubeconfig', 'kubeconfig', ...words);

test(
  'SIGTERM during a rollout: exit code 0 within five seconds, the Lease is released, another process finishes',
  { timeout: 90_000 },
  async () => {
    const user = site.world.cluster('user');
    const images = async (): Promise<string[]> => {
      const { items } = await user.list(resources.Pod, { namespace: 'shop' });
      return items.map(
        (pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '',
      );
    };
    const holder = async (): Promise<unknown> => {
      const lease = await user
        .get(resources.Lease, { namespace: 'shop', name: 'kruise' })
        .catch(() => undefined);
      return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
    };
    const first = here('--port', '0');
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 10 }));
    await site.until('ten pods', async () => (await images()).length === 10, 40_000);
    await site.until('readiness', async () => {
      const { status } = await user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
      return (status as { availableReplicas?: number } | undefined)?.availableReplicas === 10;
    });
    expect(await holder()).toBeTruthy();
    await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
    const body = { spec: { template: templateOf('web', 'web:2') } };
    await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    await site.until('the middle of the rollout', async () => (await images()).includes('web:2'));
    first.stop();
    const { code, ms } = await first.ended;
    expect([code, first.error()]).toEqual([0, '']);
    expect(ms).toBeLessThan(5_000);
    expect(await holder()).toBe('');
    expect(await images()).toContain('web:1');
    for (const line of first.out().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');

    const second = here('--port', '0', '--log', 'text');
    await site.until('the end', async () => (await images()).every((image) => image === 'web:2'), 40_000);
    second.stop();
    expect((await second.ended).code).toBe(0);
    expect(second.out()).toMatch(/^\d\d:\d\d:\d\d {2}update in place: .*\(shop\/web, step all, plan h1:/m);
  },
);

test('a closed standard output ends it with the code of SIGPIPE, and the Lease is released', async () => {
  const lease = { namespace: 'shop', name: 'kruise' };
  const holder = async (): Promise<unknown> => {
    const { spec } = (await site.world.cluster('user').get(resources.Lease, lease)) as unknown as {
      spec: { holderIdentity?: string };
    };
    return spec.holderIdentity;
  };
  const started = here('--port', '0', '--log', 'text');
  await site.until('a leader', () => started.out().includes('acquired the lease'));
  expect(await holder()).not.toBe('');
  started.closeOutput();
  // Nobody reads its next output.
  await site.world.cluster('user').create(resources.CloneSet, cloneSet('late', 'web:1', { replicas: 1 }));
  const { code, ms } = await started.ended;
  expect([code, started.error()]).toEqual([141, '']);
  expect(ms).toBeLessThan(10_000);
  expect(await holder()).toBe('');
}, 40_000);

describe('invalid options are reported in one sentence, and the exit code is 1', () => {
  test.each([
    ['no cluster', [], /^kruise run: [^\n]+\n$/],
    ['a kubeconfig that is not there', ['--kubeconfig', 'nowhere'], /nowhere/],
    ['a context that is not there', ['--kubeconfig', 'kubeconfig', '--context', 'prod'], /prod/],
    ['a namespace that cannot be one', ['--namespace', 'A b'], /--namespace cannot be 'A b'/],
    ['a port that is none', ['--port', '99999'], /--port cannot be '99999'/],
    ['a policy that is none', ['--policy', 'auto'], /--policy cannot be 'auto'; did you mean Auto/],
    ['an admission without a certificate', ['--admission'], /--admission needs --certificates DIR/],
    [
      'an admission that adopts',
      ['--admission', '--certificates', 'tls', '--adopt'],
      /--admission excludes --adopt and --shadow/,
    ],
    [
      'an admission for one namespace',
      ['--admission', '--certificates', 'tls', '--namespace', 'shop', '--no-leader-election'],
      /--namespace is not for --admission.*\n.*--no-leader-election is not for --admission/,
    ],
    ['a certificate without admission', ['--certificates', 'tls'], /--certificates is for --admission/],
    ['a host of no admission', ['--admission-host', 'a.svc'], /--admission-host is for --admission/],
    [
      'a host that is none',
      ['--admission', '--certificates', 'tls', '--admission-host', 'https://a'],
      /--admission-host cannot be 'https:\/\/a'/,
    ],
    ['clients of no admission', ['--client-ca', 'ca.crt'], /--client-ca is for --admission/],
    ['a port of no admission', ['--admission-port', '9443'], /--admission-port is for --admission/],
    ['an operand', ['CloneSet/web'], /unexpected argument 'CloneSet\/web'/],
    [
      'a configuration that is not there',
      ['--config', 'none.yaml'],
      /none.yaml cannot be read: it does not exist/,
    ],
    ['a configuration that is wrong', ['--config', 'checks.yaml'], /checks.yaml: checks\.\d/],
    [
      'an address of another machine',
      ['--kubeconfig', 'kubeconfig', '--address', '192.0.2.1'],
      /192.0.2.1 is not an address of this machine/,
    ],
  ])('%s', { timeout: 30_000 }, async (_, words, message) => {
    const started = run(...words);
    expect((await started.ended).code).toBe(1);
    expect(started.error()).toMatch(message);
    expect(started.error()).not.toMatch(/at .*:\d+:\d+|sorry/);
    expect(started.out()).toBe('');
  });

  test.each([
    ['that is in use', ['--port'], '--port N'],
    ['of an admission that is in use', ['--admission', '--certificates', 'tls', '--port'], '--port N'],
    [
      'of reviews that is in use',
      ['--admission', '--certificates', 'tls', '--port', '0', '--admission-port'],
      '--admission-port N',
    ],
  ])('a port %s', { timeout: 30_000 }, async (_, words, help) => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    // The other port of an admission must be free.
    const free = words.includes('--admission') && words.at(-1) === '--port' ? ['--admission-port', '0'] : [];
    const started = here(...words, String(port), ...free);
    expect((await started.ended).code).toBe(1);
    expect(started.error()).toContain(`port ${port} of 127.0.0.1 is in use; choose another one with ${help}`);
    other.close();
  });
});
