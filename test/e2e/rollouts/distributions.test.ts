import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { findBinaries } from '../binaries.ts';
import { start, words } from '../run.ts';
import { eventually, type Program } from './programs.ts';
import { startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);
const OBJECTS = '/apis/apps.kruise.io/v1beta1/resourcedistributions';
const HASH = 'kruise.io/resourcedistribution.resource.hashcode';
/** The files of the component secrets, for a kubectl. */
const componentOfSecrets = ['policy', 'rbac']
  .map((name) => fileURLToPath(new URL(`../../../deploy/components/secrets/${name}.yaml`, import.meta.url)))
  .map((path) => `-f ${path}`)
  .join(' ');

interface Status {
  desired?: number;
  succeeded?: number;
  failed?: number;
  observedGeneration?: number;
  conditions?: { type: string; status: string; reason: string; failedNamespaces?: string[] }[];
}

/** The JSON of a member of an object, byte by byte as it was served. */
function rawMember(text: string, name: string): string {
  const begin = text.indexOf(`"${name}":{`) + name.length + 3;
  let [depth, isText] = [0, false];
  for (let at = begin; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '"') isText = !isText;
    else if (!isText && char === '{') depth += 1;
    else if (!isText && char === '}' && --depth === 0) return text.slice(begin, at + 1);
  }
  throw new Error(`there is no ${name}`);
}

/** The same value with the keys of every map in order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, inOrder(each)]),
  );
}

const escaped = (text: string): string =>
  text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');

describe.skipIf(kubectl === undefined && !isKubectlShipped)('copies in many namespaces', () => {
  let [world, runtime]: [World | undefined, Program | undefined] = [undefined, undefined];
  const id = `copies-${process.pid}`;
  const team = { team: id };
  const [one, two, small, other] = ['one', 'two', 'small', 'other'].map((each) => `${id}-${each}`) as [
    string,
    string,
    string,
    string,
  ];

  const running = (): World => {
    if (world === undefined) throw new Error('there is no server');
    return world;
  };
  const post = (path: string, object: KubeObject): Promise<unknown> =>
    running().server.rest('POST', path, object);
  const kubectlDoes = (line: string, stdin?: string): Promise<string> => running().administer(line, stdin);

  /** A ResourceDistribution of one name, for the namespaces of the team. */
  const distribution = (name: string, resource: JsonObject): KubeObject => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: `${id}-${name}` },
    spec: {
      resource: { apiVersion: 'v1', metadata: { name }, ...resource },
      targets: { namespaceSelector: { matchLabels: team } },
    },
  });
  const statusOf = async (name: string): Promise<Status> => {
    const { status = {} } = (await running().server.rest('GET', `${OBJECTS}/${id}-${name}`)) as {
      status?: Status;
    };
    return status;
  };
  /** Waits until the numbers of a status are these: `desired/succeeded/failed`. */
  const counted = async (name: string, counts: string): Promise<void> => {
    await eventually(
      `${counts} of ${name}`,
      async () => {
        const { desired, succeeded, failed } = await statusOf(name);
        return [desired, succeeded, failed].join('/') === counts;
      },
      { limitMs: 90_000, context: () => runtime?.output() ?? '' },
    );
  };
  /** The conditions that are True, with their namespaces. */
  const failures = async (name: string): Promise<string[]> =>
    ((await statusOf(name)).conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type, failedNamespaces = [] }) => `${type}: ${failedNamespaces.join(' ')}`);
  /** What each namespace of the team and the other one has under a name: its data, or nothing. */
  const copies = async (plural: string, name: string): Promise<Record<string, unknown>> => {
    const { items } = (await running().server.rest(
      'GET',
      `/api/v1/${plural}?fieldSelector=metadata.name%3D${name}`,
    )) as { items: KubeObject[] };
    return Object.fromEntries(
      items
        .filter(({ metadata }) => metadata.namespace?.startsWith(id) === true)
        .map(({ metadata, data }) => [(metadata.namespace ?? '').slice(id.length + 1), data]),
    );
  };
  const until = async (plural: string, name: string, expected: Record<string, unknown>): Promise<void> => {
    let found: unknown;
    const isThere = async (): Promise<boolean> => {
      found = await copies(plural, name);
      return JSON.stringify(sorted(found as JsonObject)) === JSON.stringify(sorted(expected as JsonObject));
    };
    await eventually(`copies of ${name}`, isThere, {
      limitMs: 90_000,
      context: () => `${JSON.stringify(found)}\n${runtime?.output() ?? ''}`,
    });
  };
  const sorted = (map: JsonObject) => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

  /** The answer to the account of the runtime; empty: it is accepted. */
  async function refused(line: string): Promise<string> {
    const { folder, kubectl: binary } = running();
    const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: account };
    const { err } = await start({ path: binary.path, args: words(line), env, cwd: folder }).done;
    return err;
  }
  let account = '';

  /** The hash of `spec.resource` as a server of Kubernetes serves it: the sandbox neither sorts keys nor escapes characters. */
  async function hashOfServed(path: string): Promise<string> {
    const raw = rawMember(await kubectlDoes(`get --raw ${path}`), 'resource');
    const served = running().name === 'the sandbox' ? escaped(JSON.stringify(inOrder(JSON.parse(raw)))) : raw;
    return createHash('sha256').update(served).digest('hex');
  }

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['distributions']);
    account = await world.accountIn('kruise-system', 'kruise-runtime');
    runtime = await world.startRuntime();
    for (const [name, labels] of Object.entries({ [one]: team, [two]: team, [small]: team, [other]: {} }))
      await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }, patience);

  afterAll(async () => {
    await kubectlDoes(`delete --ignore-not-found resourcedistribution ${id}-settings ${id}-token`).catch(
      () => '',
    );
    await kubectlDoes(`delete --ignore-not-found --wait=false ${componentOfSecrets}`).catch(() => '');
    await kubectlDoes(
      `delete --ignore-not-found --wait=false namespace ${one} ${two} ${small} ${other}`,
    ).catch(() => '');
    await world?.close();
  }, patience);

  test(
    'a ConfigMap: a quota, an object in the way, drift, new data, a label',
    { timeout: patience },
    async () => {
      const spec = { hard: { configmaps: '0' } };
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' }, spec };
      // It refuses every further one: what was there before, such as certificates of the server, stays.
      await post(`/api/v1/namespaces/${small}/resourcequotas`, quota);
      await eventually('the quota is in force', async () => {
        const path = `/api/v1/namespaces/${small}/resourcequotas/small`;
        const { status } = (await running().server.rest('GET', path)) as { status?: { hard?: JsonObject } };
        return status?.hard?.['configmaps'] === '0';
      });
      const own = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings' },
        data: { color: 'mine' },
      };
      await post(`/api/v1/namespaces/${two}/configmaps`, own);

      await post(
        OBJECTS,
        distribution('settings', { kind: 'ConfigMap', data: { color: 'red', html: '<a>&' } }),
      );
      await counted('settings', '3/1/2');
      const red = { color: 'red', html: '<a>&' };
      expect(await copies('configmaps', 'settings')).toEqual({ one: red, two: own.data });
      expect(await failures('settings')).toEqual([
        `CreateResourceFailed: ${small}`,
        `ConflictOccurred: ${two}`,
      ]);
      const table = (await kubectlDoes(`get distributor ${id}-settings`))
        .split('\n')
        .map((line) => line.split(/\s+/));
      expect(table[0]).toEqual(['NAME', 'TOTAL', 'SUCCEED', 'FAILED']);
      expect(table[1]).toEqual([`${id}-settings`, '3', '1', '2']);

      const hash = await hashOfServed(`${OBJECTS}/${id}-settings`);
      const copy = `/api/v1/namespaces/${one}/configmaps/settings`;
      const { metadata } = (await running().server.rest('GET', copy)) as KubeObject;
      expect(metadata.annotations?.[HASH]).toBe(hash);

      await kubectlDoes(
        `patch configmap settings -n ${one} --type merge -p '{"data":{"color":"green","size":"1"}}'`,
      );
      await until('configmaps', 'settings', { one: red, two: own.data });
      await kubectlDoes(`delete configmap settings -n ${one}`);
      await until('configmaps', 'settings', { one: red, two: own.data });

      await kubectlDoes(`delete quota small -n ${small}`);
      await kubectlDoes(`label namespace ${other} team=${id}`);
      const blue = { color: 'blue', html: '<a>&' };
      await kubectlDoes(
        `patch resourcedistribution ${id}-settings --type merge -p '{"spec":{"resource":{"data":{"color":"blue"}}}}'`,
      );
      await until('configmaps', 'settings', { one: blue, small: blue, other: blue, two: own.data });
      await kubectlDoes(`label namespace ${other} team-`);
      await until('configmaps', 'settings', { one: blue, small: blue, two: own.data });
      await counted('settings', '3/2/1');
    },
  );

  test('a Secret: nothing without the component, copies with it', { timeout: patience }, async () => {
    await post(OBJECTS, distribution('token', { kind: 'Secret', stringData: { key: 'value' } }));
    await eventually('the object is held', async () => {
      const { conditions = [] } = await statusOf('token');
      return conditions.some(
        ({ type, reason }) => type === 'plan.kruise.io/Held' && reason === 'ComponentOff',
      );
    });
    expect(await copies('secrets', 'token')).toEqual({});
    expect(await refused('get secrets -A')).toContain('Forbidden');

    await kubectlDoes(`apply --server-side ${componentOfSecrets}`);
    await runtime?.kill();
    runtime = await running().startRuntime({ args: ['--no-leader-election'] });
    const data = { key: Buffer.from('value').toString('base64') };
    await until('secrets', 'token', { one: data, two: data, small: data });
    await counted('token', '3/3/0');
    expect(await refused('get secrets -A --chunk-size=1')).toBe('');
  });

  test('the account of the runtime writes copies and nothing else', { timeout: patience }, async () => {
    const [a, b] = await Promise.all([
      refused(`create configmap forged -n ${one}`),
      refused(`create secret generic forged -n ${one}`),
    ]);
    expect([a, b].map((each) => /ValidatingAdmissionPolicy '([\w.-]+)'/.exec(each)?.[1])).toEqual([
      'runtime-launch.plan.kruise.io',
      'secrets.plan.kruise.io',
    ]);
    expect(await refused(`delete configmap settings -n ${two}`)).toContain('ValidatingAdmissionPolicy');
  });

  test('the objects are deleted, and their copies with them', { timeout: patience }, async () => {
    await kubectlDoes(`delete resourcedistribution ${id}-settings ${id}-token`);
    await until('secrets', 'token', {});
    await until('configmaps', 'settings', { two: { color: 'mine' } });
  });
});
