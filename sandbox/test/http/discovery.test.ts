import { describe, expect, it } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { widgetDefinition } from '../world.ts';
import { front } from './front.ts';

const aggregated = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;

interface Entry {
  name: string;
  [field: string]: unknown;
}

describe('discovery', () => {
  it('names the core group, the other groups and their preferred versions', async () => {
    const { ask, listener } = await front();
    expect((await ask('/api')).json).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${listener.port}` }],
    });
    const { groups } = (await ask('/apis')).json as { groups: Entry[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
    ]);
    expect(names.at(-1)).toBe('test.example');
    expect(names).not.toContain('');
    expect((await ask('/apis/test.example')).json).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'test.example',
      versions: [
        { groupVersion: 'test.example/v1', version: 'v1' },
        { groupVersion: 'test.example/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'test.example/v1', version: 'v1' },
    });
  });

  it('lists the verbs and subresources of each resource', async () => {
    const { ask } = await front();
    const { resources: core, ...list } = (await ask('/api/v1')).json as { resources: Entry[] };
    expect(list).toEqual({ kind: 'APIResourceList', groupVersion: 'v1' });
    const found = (name: string) => core.find((entry) => entry.name === name);
    expect(found('pods')).toMatchObject({
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    });
    expect(core.map(({ name }) => name).filter((name) => name.startsWith('pods/'))).toEqual([
      'pods/binding',
      'pods/ephemeralcontainers',
      'pods/eviction',
      'pods/resize',
      'pods/status',
    ]);
    expect(found('pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(found('namespaces')).toMatchObject({
      namespaced: false,
      verbs: expect.not.arrayContaining(['deletecollection']),
    });
    expect(found('namespaces/finalize')).toMatchObject({ verbs: ['update'] });
  });

  it('does the same for custom resources', async () => {
    const { ask } = await front();
    expect((await ask('/apis/test.example/v1')).json).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'test.example/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          storageVersionHash: expect.stringMatching(/^[\w+/]{11}=$/),
        },
        expect.objectContaining({
          name: 'widgets/scale',
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
        }),
        expect.objectContaining({
          name: 'widgets/status',
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
        }),
      ],
    });
  });

  it.each(['v2', 'v2beta1'])('contains everything in one document, %s', async (version) => {
    const { ask } = await front();
    const answer = await ask('/apis', { headers: { accept: aggregated(version) } });
    expect(answer.headers).toMatchObject({
      'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      vary: 'Accept',
    });
    const { items, ...list } = answer.json as { items: { metadata: object }[] };
    expect(list).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
    });
    expect(items.at(-1)).toMatchObject({
      metadata: { name: 'test.example' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'widgets',
              responseKind: { group: 'test.example', version: 'v1', kind: 'Widget' },
              scope: 'Namespaced',
              singularResource: 'widget',
              subresources: [
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                },
                { subresource: 'status' },
              ],
            },
          ],
        },
        { version: 'v1beta1' },
      ],
    });
    const core = await ask('/api', { headers: { accept: aggregated(version) } });
    expect(core.json).toMatchObject({ items: [{ metadata: {}, versions: [{ version: 'v1' }] }] });
  });

  it('is not sent again to who has it, until something changes', async () => {
    const { ask, alice, clock } = await front();
    const headers = { accept: aggregated('v2') };
    const tag = String((await ask('/apis', { headers })).headers.etag);
    const again = async () => (await ask('/apis', { headers: { ...headers, 'if-none-match': tag } })).code;
    expect(await again()).toBe(304);
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    const definition = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
    };
    await alice.create(definition, {
      ...widgetDefinition,
      metadata: { name: 'gadgets.test.example' },
      spec: { ...(widgetDefinition['spec'] as object), names },
    });
    expect(await again()).toBe(200);
    expect((await ask('/apis/test.example/v1/gadgets')).json).toMatchObject({
      kind: 'GadgetList',
      items: [],
    });
    await alice.delete(definition, { name: 'gadgets.test.example' });
    await clock.advance(10_000);
    expect((await ask('/apis/test.example/v1/gadgets')).code).toBe(404);
    expect(await again()).toBe(304);
  });

  it('serves what it names: every resource that can be listed is', async () => {
    const { ask, alice } = await front();
    await alice.get(resources.Namespace, { name: 'default' });
    const { groups } = (await ask('/apis')).json as { groups: { versions: { groupVersion: string }[] }[] };
    const roots = [
      '/api/v1',
      ...groups.flatMap(({ versions }) => versions.map((each) => `/apis/${each.groupVersion}`)),
    ];
    let listed = 0;
    for (const root of roots) {
      const { resources: entries } = (await ask(root)).json as {
        resources: (Entry & { verbs: string[]; kind: string })[];
      };
      for (const { name, verbs, kind } of entries) {
        if (!verbs.includes('list')) continue;
        expect((await ask(`${root}/${name}`)).json).toMatchObject({
          kind: `${kind}List`,
          items: expect.any(Array),
        });
        listed += 1;
      }
    }
    expect(listed).toBeGreaterThan(30);
  });
});
