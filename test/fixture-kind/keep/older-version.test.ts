import { authorized, createVirtualClock, createWorld, serviceAccount, type World } from 'kruise-sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import { admissionConfiguration, disruptionConfiguration } from '../../../runtime/admit/configuration.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import { grant } from '../../deploy/scenario.ts';
import { keepDefinitions } from './definitions.ts';
import { keepKind } from './kind.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./without-reviews.ts'));

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const group = 'admissionregistration.k8s.io';
const resource = (plural: string) => ({ group, version: 'v1', plural });
const MUTATING = resource('mutatingwebhookconfigurations');
const VALIDATING = resource('validatingwebhookconfigurations');
const ADMIN = serviceAccount('ops', 'admin');

let world: World;
afterEach(() => world.stop());

/** A cluster in which a version whose kinds review has installed its configurations, and a person with these rights. */
function begin(rights: Readonly<Record<string, readonly string[]>>): void {
  world = createWorld({
    clock: createVirtualClock(0),
    namespaces: ['default'],
    nodes: 0,
    crds: [...crds, ...keepDefinitions],
    webhooks: () => ({ fault: 'connection refused' }),
  });
  const clientOf = (path: string): object => ({ url: `https://127.0.0.1:1${path}` });
  world.server.create('admin', MUTATING, admissionConfiguration(clientOf, ['kruise-system'], [keepKind]));
  world.server.create('admin', VALIDATING, disruptionConfiguration(clientOf, ['kruise-system'], [keepKind]));
  world.server.create('admin', VALIDATING, {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'of-others' },
    webhooks: [],
  });
  const rules = Object.entries(rights).map(([plural, verbs]) => ({
    apiGroups: [group],
    resources: [plural],
    verbs,
  }));
  const metadata = { name: 'installs' };
  const api = 'rbac.authorization.k8s.io';
  grant(world, [
    { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: `${api}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: api, kind: 'ClusterRole', name: 'installs' },
      subjects: [{ kind: 'ServiceAccount', name: 'admin', namespace: 'ops' }],
    },
  ]);
}

async function kruise(...args: string[]): Promise<string> {
  const host = memoryHost({ 'ca.crt': CA }, { cluster: authorized(world, ADMIN) });
  return `${await main(host, ['admission', ...args])} ${host.out}${host.err}`.trim();
}

const left = (): string[] =>
  world.server.list('admin', VALIDATING).items.map(({ metadata }) => metadata.name);
const writing = { mutatingwebhookconfigurations: ['list', 'create', 'update'] };

test('install of a version without reviews removes what one with reviews has left, and nothing of others', async () => {
  begin({ ...writing, validatingwebhookconfigurations: ['list', 'delete'] });
  expect(await kruise('check')).toMatch(
    /^1 .*there is a ValidatingWebhookConfiguration kruise-admission of another version/s,
  );
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(
    /^0 .*; the ValidatingWebhookConfiguration of another version was removed$/,
  );
  expect(left()).toEqual(['of-others']);
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(/^0 .*shows whether it answers$/);
});

test('it needs no right to what it has no use for, and says what it does not know', async () => {
  begin(writing);
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(
    /^0 .*; whether another version has left a ValidatingWebhookConfiguration is not known, without the right to list these$/,
  );
  expect(left()).toEqual(['kruise-admission', 'of-others']);
});

test('what it sees and may not remove ends in an error that names the right', async () => {
  begin({ ...writing, validatingwebhookconfigurations: ['list'] });
  expect(await kruise('install', '--ca', 'ca.crt')).toMatch(/^1 .*validatingwebhookconfigurations/s);
  expect(left()).toEqual(['kruise-admission', 'of-others']);
});
