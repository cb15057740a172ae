import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, refusal, stage, widget, widgets } from './world.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const chars =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const slashes = `a valid label key ${chars} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const long = (length: number, of = 'x') => of.repeat(length);
const owner = (more: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u', ...more });

const labels = (key: string, fault: string) =>
  `metadata.labels: Invalid value: ${JSON.stringify(key)}: ${fault}`;
const annotations = (key: string, fault: string) =>
  `metadata.annotations: Invalid value: ${JSON.stringify(key)}: ${fault}`;
const finalizer = (name: string, fault: string) =>
  `metadata.finalizers: Invalid value: ${JSON.stringify(name)}: ${fault}`;
const unqualified = (name: string) =>
  `metadata.finalizers[0]: Invalid value: ${JSON.stringify(name)}: name is neither a standard finalizer name nor is it fully qualified`;
const owners = 'metadata.ownerReferences';

const invalid: [string, object, string[]][] = [
  ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
  [
    'a long name',
    { name: long(254) },
    [`metadata.name: Invalid value: "${long(254)}": must be no more than 253 characters`],
  ],
  ['a name in capitals', { name: 'A' }, [`metadata.name: Invalid value: "A": ${subdomain}`]],
  [
    'a label without name',
    { labels: { 'a/': 'x' } },
    [labels('a/', 'name part must be non-empty'), labels('a/', `name part ${chars}`)],
  ],
  ['a label without prefix', { labels: { '/b': 'x' } }, [labels('/b', 'prefix part must be non-empty')]],
  ['a label with two slashes', { labels: { 'a/b/c': 'x' } }, [labels('a/b/c', slashes)]],
  [
    'a label with a prefix in capitals',
    { labels: { 'A/b': 'x' } },
    [labels('A/b', `prefix part ${subdomain}`)],
  ],
  [
    'a label with a long name',
    { labels: { [long(64)]: 'x' } },
    [labels(long(64), 'name part must be no more than 63 bytes')],
  ],
  [
    'a label with a long prefix',
    { labels: { [`${long(254)}/a`]: 'x' } },
    [labels(`${long(254)}/a`, 'prefix part must be no more than 253 bytes')],
  ],
  ['a long label value', { labels: { a: long(64) } }, [labels(long(64), 'must be no more than 63 bytes')]],
  ['a bad label value', { labels: { a: 'x y' } }, [labels('x y', labelValue)]],
  [
    'a bad and long label value',
    { labels: { a: long(64, '-') } },
    [labels(long(64, '-'), 'must be no more than 63 bytes'), labels(long(64, '-'), labelValue)],
  ],
  ['a bad annotation', { annotations: { 'a b': 'x' } }, [annotations('a b', `name part ${chars}`)]],
  [
    'long annotations',
    { annotations: { a: long(262_144) } },
    ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  ['a finalizer without domain', { finalizers: ['x'] }, [unqualified('x')]],
  ['a bad finalizer', { finalizers: ['a b'] }, [finalizer('a b', `name part ${chars}`), unqualified('a b')]],
  [
    'two cascades',
    { finalizers: ['orphan', 'foregroundDeletion'] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [
    'an empty owner',
    { ownerReferences: [{}] },
    [
      `${owners}.apiVersion: Invalid value: "": version must not be empty`,
      `${owners}.kind: Invalid value: "": must not be empty`,
      `${owners}.name: Invalid value: "": must not be empty`,
      `${owners}.uid: Invalid value: "": must not be empty`,
    ],
  ],
  [
    'an owner of no version',
    { ownerReferences: [owner({ apiVersion: 'a/b/c' })] },
    [`${owners}.apiVersion: Invalid value: "a/b/c": version must not be empty`],
  ],
  [
    'an event as the owner',
    { ownerReferences: [owner({ kind: 'Event' })] },
    [
      `${owners}: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u"}: /v1, Kind=Event is disallowed from being an owner`,
    ],
  ],
  [
    'two controllers',
    { ownerReferences: [owner({ controller: true }), owner({ controller: true, name: 'y', uid: 'v' })] },
    [
      `${owners}: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"y","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y`,
    ],
  ],
  [
    'several faults',
    { name: 'A', labels: { '-': 'x' }, finalizers: ['x'] },
    [`metadata.name: Invalid value: "A": ${subdomain}`, labels('-', `name part ${chars}`), unqualified('x')],
  ],
];

describe('metadata', () => {
  test.each(invalid)('with %s', async (_what, metadata, messages) => {
    const status = await refusal(
      stage().alice.create(configMaps, configMap('a', metadata as Record<string, unknown>)),
    );
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    const told = status.details?.causes?.map((cause) => `${cause.field ?? ''}: ${cause.message ?? ''}`);
    expect(told).toEqual(messages);
  });

  test('reports a generated name with its prefix', async () => {
    const body = {
      ...configMap('x'),
      metadata: { generateName: 'A', namespace: 'default' },
    } as unknown as KubeObject;
    const { details } = await refusal(stage().alice.create(configMaps, body));
    expect(details?.causes?.map((cause) => cause.field)).toEqual(['metadata.generateName', 'metadata.name']);
    const fine = {
      ...configMap('x'),
      metadata: { generateName: 'a-b-', namespace: 'default' },
    } as unknown as KubeObject;
    expect((await stage().alice.create(configMaps, fine)).metadata.name).toMatch(/^a-b-[a-z0-9]{5}$/);
  });

  const roles = {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'roles',
    kind: 'Role',
    namespaced: true,
  };
  const services = { ...configMaps, plural: 'services', kind: 'Service' };
  const names: [typeof roles, string, string | undefined][] = [
    [resources.Namespace, 'a.b', 'must not contain dots'],
    [resources.Namespace, 'A', label],
    [resources.Namespace, long(64, 'a'), 'must be no more than 63 characters'],
    [services, '1a', label1035],
    [roles, 'a/b', "may not contain '/'"],
    [roles, '..', "may not be '..'"],
    [roles, 'A:b', undefined],
  ];
  test.each(names)('names of %o: %s', async ({ group, version, kind, ...rest }, name, fault) => {
    const object = {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { name, ...(rest.namespaced ? { namespace: 'default' } : {}) },
      ...(kind === 'Service' ? { spec: { ports: [{ port: 1 }] } } : {}),
    };
    const call = stage().alice.create({ group, version, kind, ...rest }, object);
    if (fault === undefined) expect((await call).metadata.name).toBe(name);
    else expect((await refusal(call)).message).toContain(`metadata.name: Invalid value: "${name}": ${fault}`);
  });

  test('finalizers of custom resources need no domain', async () => {
    const metadata = { name: 'a', namespace: 'default', finalizers: ['x'] };
    expect((await stage().alice.create(widgets, { ...widget('a'), metadata })).metadata.finalizers).toEqual([
      'x',
    ]);
  });
});
