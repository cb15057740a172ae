import { describe, expect, it } from 'vitest';
import { configMap } from '../world.ts';
import { readRows } from '../rows.ts';
import { front } from './front.ts';

const path = '/api/v1/namespaces/default/configmaps';
const long = 'x'.repeat(129);

function invalid(kind: string, field: string, message: string) {
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`,
    details: { group: 'meta.k8s.io', kind, causes: [{ message, field }] },
  };
}

describe('queries that are refused', () => {
  it.each([
    ['limit=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['timeoutSeconds=1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ])('400 for a list with %s', async (query, message) => {
    const { ask } = await front();
    expect((await ask(`${path}?${query}`)).json).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  it.each(readRows<[string, string, string]>('refused-lists'))(
    '422 for a list with %s',
    async (query, field, message) => {
      const { ask } = await front();
      expect((await ask(`${path}?${query}`)).json).toMatchObject(invalid('ListOptions', field, message));
    },
  );

  it.each([
    ['dryRun=Some', 'dryRun', 'Unsupported value: ["Some"]: supported values: "All"'],
    [
      'fieldValidation=Some',
      'fieldValidation',
      'Unsupported value: "Some": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [`fieldManager=${long}`, 'fieldManager', 'Too long: may not be more than 128 bytes'],
    [
      'fieldManager=%01a',
      'fieldManager',
      'Invalid value: "\\x01a": invalid character U+0001 (at position 0)',
    ],
  ])('422 for a create with %s', async (query, field, message) => {
    const { ask } = await front();
    const answer = await ask(`${path}?${query}`, { method: 'POST', body: configMap('a') });
    expect(answer.json).toMatchObject(invalid('CreateOptions', field, message));
    expect((await ask(`${path}/a`)).code).toBe(404);
  });

  it.each([
    ['application/apply-patch+yaml', '', 'fieldManager', 'Required value: is required for apply patch'],
    [
      'application/merge-patch+json',
      'force=true',
      'force',
      'Forbidden: may not be specified for non-apply patch',
    ],
  ])('422 for a patch of %s with %j', async (type, query, field, message) => {
    const { ask } = await front();
    const headers = { 'content-type': type };
    const answer = await ask(`${path}/a?${query}`, { method: 'PATCH', body: '{}', headers });
    expect(answer.json).toMatchObject(invalid('PatchOptions', field, message));
  });

  it.each([
    [
      'propagationPolicy=x',
      'propagationPolicy',
      'Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      'propagationPolicy=Orphan&orphanDependents=true',
      'propagationPolicy',
      'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    ['dryRun=x', 'dryRun', 'Unsupported value: ["x"]: supported values: "All"'],
  ])('422 for a delete with %s', async (query, field, message) => {
    const { ask } = await front();
    const answer = await ask(`${path}/a?${query}`, { method: 'DELETE' });
    expect(answer.json).toMatchObject(invalid('DeleteOptions', field, message));
  });
});

describe('queries that are understood', () => {
  it.each(['watch=true', 'watch=1', 'watch=', 'watch=x'])('%s is a watch', async (query) => {
    const { watch } = await front();
    const stream = await watch(`${path}?${query}`);
    expect(stream.headers['transfer-encoding']).toBe('chunked');
    stream.close();
  });

  it.each([
    'watch=false',
    'watch=0',
    'watch=FALSE',
    'limit=-1',
    'limit=0',
    'foo=bar',
    'allowWatchBookmarks=zz',
  ])('%s is a list', async (query) => {
    const { ask } = await front();
    expect((await ask(`${path}?${query}`)).json).toMatchObject({ kind: 'ConfigMapList' });
  });

  it('pages, selects and escapes', async () => {
    const { ask } = await front();
    for (const name of ['a', 'b', 'c'])
      await ask(path, { method: 'POST', body: configMap(name, { labels: { name, 'x.y/z': 'q' } }) });
    const names = (value: unknown) =>
      (value as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    const first = (await ask(`${path}?limit=2`)).json as { metadata: { continue: string } };
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata).toMatchObject({ remainingItemCount: 1 });
    const second = await ask(`${path}?limit=2&continue=${encodeURIComponent(first.metadata.continue)}`);
    expect(names(second.json)).toEqual(['c']);
    expect(names((await ask(`${path}?labelSelector=name+in+(a%2Cb)%2Cx.y%2Fz%3Dq`)).json)).toEqual([
      'a',
      'b',
    ]);
    expect(names((await ask(`${path}?fieldSelector=metadata.name%3Dc`)).json)).toEqual(['c']);
  });

  it.each([
    ['kubectl-create', '?fieldManager=kubectl-create', 'kubectl/v1.35'],
    ['kubectl', '', 'kubectl/v1.35 (linux/amd64)'],
    ['unknown', '', ''],
  ])('counts a write for %s', async (manager, query, agent) => {
    const { ask } = await front();
    const headers = { 'user-agent': agent };
    const body = configMap('a', {}, { k: 'v' });
    const made = await ask(`${path}${query}`, { method: 'POST', body, headers });
    const { metadata } = made.json as { metadata: { managedFields?: { manager: string }[] } };
    expect(metadata.managedFields?.map((each) => each.manager)).toEqual([manager]);
  });
});
