import { describe, expect, test } from 'vitest';
import { front, json } from './http/front.ts';
import { container, merge, send, strategic } from './requests.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

describe('what only the server writes', () => {
  const at = '2020-01-01T00:00:00Z';
  test.each<[string, object, string[]]>([
    ['uid', { uid: 'another' }, ['metadata.uid', 'metadata.uid']],
    [
      'deletionTimestamp',
      { deletionTimestamp: at },
      ['metadata.deletionTimestamp', 'metadata.deletionTimestamp'],
    ],
    [
      'both of a deletion',
      { deletionTimestamp: at, deletionGracePeriodSeconds: 0 },
      [
        'metadata.deletionTimestamp',
        'metadata.deletionGracePeriodSeconds',
        'metadata.deletionTimestamp',
        'metadata.deletionGracePeriodSeconds',
      ],
    ],
  ])('%s is refused in an update, and told twice', async (_title, metadata, fields) => {
    const server = await front();
    await send(server, 'POST', maps, { metadata: { name: 'a' } });
    const { code, body } = await send(server, 'PATCH', `${maps}/a`, { metadata }, merge);
    expect(code).toBe(422);
    expect(body.details?.causes.map(({ field }) => field)).toEqual(fields);
  });

  test('a budget reports it once', async () => {
    const server = await front();
    await send(server, 'POST', budgets, { metadata: { name: 'a' }, spec: { maxUnavailable: 1 } });
    const { body } = await send(server, 'PATCH', `${budgets}/a`, { metadata: { uid: 'another' } }, merge);
    expect(body.details?.causes).toHaveLength(1);
  });

  test('a deletion in progress is neither changed nor canceled', async () => {
    const server = await front();
    await send(server, 'POST', maps, {
      metadata: { name: 'a', finalizers: ['a.b/c'], deletionTimestamp: at },
    });
    await server.ask(`${maps}/a`, { method: 'DELETE', headers: json });
    const patch = (metadata: object) => send(server, 'PATCH', `${maps}/a`, { metadata }, merge);
    const { body } = await patch({ deletionTimestamp: null, deletionGracePeriodSeconds: null });
    expect(body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    expect((await patch({ deletionTimestamp: at })).body.metadata['deletionTimestamp']).toBe(
      '2026-01-01T12:00:00Z',
    );
    expect((await patch({ deletionGracePeriodSeconds: 5 })).code).toBe(422);
  });
});

describe('owners that are named twice', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  const told = (when: string) =>
    `299 - ".metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"`;
  const twice = { metadata: { name: 'a', ownerReferences: [owner, owner] } };

  test('are deduplicated with a warning', async () => {
    const server = await front();
    const made = await send(server, 'POST', maps, twice);
    expect(made.body.metadata['ownerReferences']).toEqual([owner]);
    expect(made.warning).toBe(told(''));
    const put = await send(server, 'PUT', `${maps}/a`, twice);
    expect(put.body.metadata['ownerReferences']).toEqual([owner]);
    expect(put.warning).toBe(told(''));
    const patched = await send(server, 'PATCH', `${maps}/a`, twice, merge);
    expect(patched.body.metadata['ownerReferences']).toEqual([owner]);
    expect(patched.warning).toBe(told(' after mutating admission happens'));
  });

  test('are two owners where anything differs', async () => {
    const server = await front();
    const owners = [owner, { ...owner, name: 'q' }];
    const { body, warning } = await send(server, 'POST', maps, {
      metadata: { name: 'a', ownerReferences: owners },
    });
    expect(body.metadata['ownerReferences']).toEqual(owners);
    expect(warning).toBeUndefined();
  });
});

describe('a strategic merge patch of the wrong type', () => {
  test.each([
    [{ spec: { replicas: 'x' } }, 'map[spec:map[replicas:x]]', 'unrecognized type: int32'],
    [{ spec: { replicas: 1.5 } }, 'map[spec:map[replicas:1.5]]', 'cannot convert float64 to int32'],
    [{ spec: { paused: 'no' } }, 'map[spec:map[paused:no]]', 'unrecognized type: bool'],
    [{ spec: 'x' }, 'map[spec:x]', 'cannot restore struct from: string'],
    [{ spec: { selector: [] } }, 'map[spec:map[selector:[]]]', 'cannot restore struct from: slice'],
    [{ metadata: 5 }, 'map[metadata:5]', 'cannot restore struct from: int64'],
    [{ metadata: { labels: 'x' } }, 'map[metadata:map[labels:x]]', 'cannot restore map from string'],
    [
      { metadata: { labels: { a: 1 } } },
      'map[metadata:map[labels:map[a:1]]]',
      'cannot convert int64 to string',
    ],
    [
      { spec: { template: { spec: { containers: { name: 'x' } } } } },
      'map[spec:map[template:map[spec:map[containers:map[name:x]]]]]',
      'cannot restore slice from map',
    ],
  ])('%j', async (patch, shown, fault) => {
    const server = await front();
    await send(server, 'POST', deployments, {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      },
    });
    const { code, body } = await send(server, 'PATCH', `${deployments}/a`, patch, strategic);
    expect(code).toBe(422);
    expect(body['message']).toBe(` "" is invalid: patch: Invalid value: "${shown}": ${fault}`);
  });
});
