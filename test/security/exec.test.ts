import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, serviceAccount, type UserInfo } from 'kruise-sandbox';
import { expect, describe, test } from 'vitest';
import { parse } from 'yaml';
import { resources } from '../../schemas/wire/resources.ts';
import { SIGNALS } from '../../semantics/pod/signals.ts';
import { root } from '../deploy/cluster.ts';
import { RUNTIME, shipped, shippedWorld } from './shipped.ts';

/** Whoever has the token of the runtime, with the component container-exec and without. */
const KILL = SIGNALS[0] ?? [];
const OTHER_NAME = serviceAccount('ops', 'manager');
const only = (user: UserInfo): string =>
  `refused: ${user.name} may run nothing in a container but what asks its first process to end`;

function withPods(...folders: readonly string[]) {
  const it = shippedWorld(shipped('rbac', ...folders));
  const { world } = it;
  const namespaces = ['shop', 'argocd', 'flux-system', 'kruise-system', 'kube-system'];
  for (const namespace of namespaces)
    world.server.create('admin', resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] },
    });
  const runs = (
    user: UserInfo,
    command: readonly string[],
    {
      namespace = 'shop',
      ...streams
    }: { namespace?: string; stdin?: boolean; tty?: boolean; stderr?: boolean } = {},
  ): string => {
    const asked = { group: '', resource: 'pods', subresource: 'exec', namespace, name: 'web' };
    const may = (verb: string): boolean =>
      world.server.authorizer.authorize(user, { verb, ...asked }).allowed;
    if (!may('create') || !may('get')) return 'refused by its roles';
    try {
      const options = { container: 'main', command, ...streams };
      world.server.exec(user.name, { namespace, name: 'web' }, options, { requester: user });
      return 'allowed';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // No kubelet runs it here: the policies have let it pass.
      if (error.message.startsWith('container not found')) return 'allowed';
      return `refused: ${error.message.replace(/^.*denied request: /s, '')}`;
    }
  };
  return { ...it, runs };
}

test('as shipped the stolen token runs nothing, by its roles', () => {
  const { runs } = withPods('policy', 'components/distributions');
  for (const command of [...SIGNALS, ['sh'], ['cat', '/var/run/secrets/kubernetes.io/serviceaccount/token']])
    expect(runs(RUNTIME, command)).toBe('refused by its roles');
});

test('an installation for one namespace, which has no policies, grants it nowhere', () => {
  const folders = readdirSync(join(root, 'deploy/overlays/namespaced'), {
    recursive: true,
    encoding: 'utf8',
  });
  const texts = folders
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(root, 'deploy/overlays/namespaced', path), 'utf8'));
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.filter((text) => text.includes('pods/exec'))).toEqual([]);
});

test('the component has the policy in it: no right without it, whatever else is installed', () => {
  const { runs } = withPods('components/container-exec');
  expect(runs(RUNTIME, ['sh'])).toBe(only(RUNTIME));
  const text = readFileSync(join(root, 'deploy/components/container-exec/kustomization.yaml'), 'utf8');
  expect(parse(text)).toMatchObject({ resources: ['policy.yaml', 'rbac.yaml'] });
  const binding = shipped('components/container-exec').find(({ kind }) => kind.endsWith('PolicyBinding'));
  expect(binding).toMatchObject({ spec: { validationActions: ['Deny'] } });
});

describe('with the component the stolen token', () => {
  const { runs, world } = withPods('policy', 'components/container-exec');

  test.each(SIGNALS.map((signal) => [signal.join(' '), signal] as const))('runs %s', (_text, signal) => {
    expect(runs(RUNTIME, signal, { stderr: true })).toBe('allowed');
  });

  test.each<[string, readonly string[], { stdin?: boolean; tty?: boolean }]>([
    ['a shell', ['sh'], {}],
    ['a shell that goes on', ['sh', '-c', 'kill -TERM 1; cat /etc/passwd'], {}],
    ['a shell with the right command as a name', ['sh', '-c', 'kill -TERM 1', 'x'], {}],
    ['one word in place of three', ['kill -TERM 1'], {}],
    ['another signal', ['kill', '-KILL', '1'], {}],
    ['another process', ['kill', '-TERM', '-1'], {}],
    ['another program of the name', ['./kill', '-TERM', '1'], {}],
    ['the token of the pod', ['cat', '/var/run/secrets/kubernetes.io/serviceaccount/token'], {}],
    ['no command', [], {}],
    ['the words in another order', ['-TERM', 'kill', '1'], {}],
    ['one word more', [...KILL, '2'], {}],
    ['one with input', KILL, { stdin: true }],
    ['one with a terminal', KILL, { tty: true }],
  ])('does not run %s', (_what, command, streams) => {
    expect(runs(RUNTIME, command, streams)).toBe(only(RUNTIME));
  });

  test.each(['kube-system', 'kruise-system', 'argocd', 'flux-system'])('runs nothing in %s', (namespace) => {
    expect(runs(RUNTIME, KILL, { namespace })).toBe(
      `refused: the runtime manages no workload of apps.kruise.io in namespace ${namespace}: move it to another one`,
    );
  });

  test('has no other way into a container', () => {
    const ways = ['attach', 'portforward', 'proxy', 'ephemeralcontainers', 'log'];
    const may = ways.filter((subresource) =>
      ['get', 'create', 'update', 'patch'].some(
        (verb) =>
          world.server.authorizer.authorize(RUNTIME, {
            ...{ verb, group: '', resource: 'pods', subresource, namespace: 'shop', name: 'web' },
          }).allowed,
      ),
    );
    expect(may).toEqual([]);
  });
});

test('an account of another name that has the role is confined alike, and a person with a shell is not', () => {
  const { runs, bind } = withPods('components/container-exec');
  const person: UserInfo = { name: 'mona', groups: ['system:authenticated'] };
  for (const user of [OTHER_NAME, person]) bind('kruise-runtime-container-exec', user);
  expect(runs(person, ['sh'], { stdin: true, tty: true })).toBe('allowed');
  bind('kruise-runtime', OTHER_NAME);
  expect(runs(OTHER_NAME, ['sh'])).toBe(only(OTHER_NAME));
  expect(runs(OTHER_NAME, KILL)).toBe('allowed');
});
