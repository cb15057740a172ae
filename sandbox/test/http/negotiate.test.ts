import { describe, expect, it } from 'vitest';
import { negotiate, type Shape } from '../../http/negotiate.ts';
import { configMap } from '../world.ts';
import { front } from './front.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const offered: Shape['as'][] = ['Table', 'PartialObjectMetadata'];

describe('what a client accepts', () => {
  it.each<[string | undefined, Shape]>([
    [undefined, { as: 'itself' }],
    ['', { as: 'itself' }],
    ['*/*', { as: 'itself' }],
    ['application/*', { as: 'itself' }],
    ['application/vnd.kubernetes.protobuf,application/json', { as: 'itself' }],
    ['application/json; charset="utf-8"', { as: 'itself' }],
    [`${table},application/json`, { as: 'Table', version: 'v1' }],
    [`application/json,${table}`, { as: 'itself' }],
    [`application/json;q=0.5,${table};q=0.9`, { as: 'Table', version: 'v1' }],
    [`${table};q=0,application/json`, { as: 'itself' }],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { as: 'Table', version: 'v1beta1' }],
    ['application/json;as=Table;v=v7;g=meta.k8s.io,*/*', { as: 'itself' }],
    ['application/json;as=Table;v=v1;g=other,*/*', { as: 'itself' }],
    [partial, { as: 'PartialObjectMetadata', version: 'v1' }],
    ['APPLICATION/JSON', { as: 'itself' }],
  ])('%s', (accept, shape) => {
    expect(negotiate(accept, offered)).toEqual(shape);
  });

  it.each([
    'text/html',
    'application/cbor',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;v=v7;g=meta.k8s.io',
    'application/json;q=0',
    'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
  ])('406 for %s', (accept) => {
    expect(() => negotiate(accept, offered)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 406 }) }),
    );
  });
});

describe('shapes of an answer', () => {
  const path = '/api/v1/namespaces/default/configmaps';

  it('is a Table of one or of many, with as much of each object as is asked for', async () => {
    const { ask, alice } = await front();
    await alice.create(
      { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
      configMap('a'),
    );
    const one = await ask(`${path}/a`, { headers: { accept: table } });
    expect(one.json).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: expect.arrayContaining([expect.objectContaining({ name: 'Name' })]),
      rows: [{ cells: ['a', 0, '0s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
    });
    const many = await ask(`${path}?includeObject=Object`, { headers: { accept: table } });
    expect(many.json).toMatchObject({ kind: 'Table', rows: [{ object: { kind: 'ConfigMap' } }] });
    const none = await ask(`${path}?includeObject=None`, { headers: { accept: table } });
    expect(none.json).toMatchObject({ rows: [{ object: null }] });
    expect((await ask(`${path}?includeObject=x`, { headers: { accept: table } })).code).toBe(400);
  });

  it('is metadata alone, of one or of a list', async () => {
    const { ask } = await front();
    await ask(path, { method: 'POST', body: configMap('a') });
    const one = await ask(`${path}/a`, { headers: { accept: partial } });
    expect(one.json).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(one.json).not.toHaveProperty('data');
    const many = await ask(path, { headers: { accept: partialList } });
    expect(many.json).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata' }],
    });
    expect((await ask(path, { headers: { accept: partial } })).code).toBe(406);
    expect((await ask(`${path}/a`, { headers: { accept: partialList } })).code).toBe(406);
  });

  it('is negotiated before the request runs: a 406 creates nothing', async () => {
    const { ask } = await front();
    const headers = { accept: 'text/html' };
    expect((await ask(path, { method: 'POST', body: configMap('a'), headers })).code).toBe(406);
    expect((await ask(`${path}/a`)).code).toBe(404);
  });

  it('includes apiVersion and kind in items of custom kinds, and omits them for built-in kinds', async () => {
    const { ask } = await front();
    await ask(path, { method: 'POST', body: configMap('a') });
    const { items } = (await ask(path)).json as { items: object[] };
    expect(items[0]).not.toHaveProperty('kind');
    const widgets = '/apis/test.example/v1/namespaces/default/widgets';
    const body = {
      apiVersion: 'test.example/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1 },
    };
    await ask(widgets, { method: 'POST', body });
    expect((await ask(widgets)).json).toMatchObject({ kind: 'WidgetList', items: [{ kind: 'Widget' }] });
  });

  it('is indented where that is asked for, and for people at a terminal', async () => {
    const { ask } = await front();
    const lines = async (query: string, agent: string) =>
      (await ask(`${path}${query}`, { headers: { 'user-agent': agent } })).text.split('\n').length;
    expect(await lines('', 'kubectl/v1')).toBe(2);
    expect(await lines('?pretty=true', 'kubectl/v1')).toBeGreaterThan(5);
    expect(await lines('', 'curl/8.0')).toBeGreaterThan(5);
    expect(await lines('?pretty=0', 'curl/8.0')).toBe(2);
  });
});
