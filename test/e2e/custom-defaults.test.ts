import { expect } from 'vitest';
import { until } from '../until.ts';
import { suite, type Kubectl, type StoredObject } from './suite.ts';

const group = (k: Kubectl) => `${k.namespace}.example.com`;
const json = 'application/merge-patch+json';

/** The definition of Dials with two versions of one shape; `defaults`: the defaults of each. */
function definition(k: Kubectl, storage: string, defaults: Record<string, string> = {}): object {
  const filled = (version: string) => (version in defaults ? { default: defaults[version] } : {});
  const properties = (version: string) => ({
    size: { type: 'string', ...filled(version) },
    other: { type: 'string' },
    // Else the schemas are equal, and the server takes the selectable fields for those of all versions.
    [`only${version}`]: { type: 'string' },
    inner: { type: 'object', properties: { size: { type: 'string', ...filled(version) } } },
    items: {
      type: 'array',
      items: { type: 'object', properties: { size: { type: 'string', ...filled(version) } } },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `dials.${group(k)}` },
    spec: {
      group: group(k),
      scope: 'Namespaced',
      names: { plural: 'dials', singular: 'dial', kind: 'Dial' },
      versions: ['v1', 'v2'].map((version) => ({
        name: version,
        served: true,
        storage: version === storage,
        selectableFields: [{ jsonPath: '.spec.size' }, { jsonPath: `.spec.only${version}` }],
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: properties(version) },
              status: {
                type: 'object',
                default: {},
                properties: { phase: { type: 'string', ...filled(version) } },
              },
            },
          },
        },
      })),
    },
  };
}

/** Requests about the Dials of a case. */
function dials(k: Kubectl) {
  const path = (version: string, rest = '') =>
    `/apis/${group(k)}/${version}/namespaces/${k.namespace}/dials${rest}`;
  const ask = async (method: string, at: string, body?: unknown, type?: string) =>
    (await k.server.rest(method, at, body, type)) as StoredObject;
  const get = (version: string, name: string) => ask('GET', path(version, `/${name}`));
  const dial = (version: string, name: string, spec: object) => ({
    apiVersion: `${group(k)}/${version}`,
    kind: 'Dial',
    metadata: { name },
    spec,
  });
  return {
    path,
    get,
    create: (version: string, name: string, spec: object) =>
      ask('POST', path(version), dial(version, name, spec)),
    merge: (version: string, name: string, body: object) =>
      ask('PATCH', path(version, `/${name}`), body, json),
    replace: (version: string, object: StoredObject) =>
      ask('PUT', path(version, `/${object.metadata.name}`), object),
    apply: (version: string, name: string, spec: object, manager: string) =>
      ask(
        'PATCH',
        path(version, `/${name}?fieldManager=${manager}`),
        dial(version, name, spec),
        'application/apply-patch+yaml',
      ),
    /** The sizes that both versions show: of the spec, within it, of an item, and in the status. */
    async sizes(name: string): Promise<unknown> {
      const shown = [await get('v1', name), await get('v2', name)].map(({ spec, status }) => {
        const { size, inner, items } = spec as { size?: string; inner?: object; items?: object[] };
        return [size, inner, items, status['phase']];
      });
      return shown;
    },
    async names(version: string, size: string): Promise<string[]> {
      const found = await k.server.rest('GET', path(version, `?fieldSelector=spec.size%3D${size}`));
      return (found as { items: StoredObject[] }).items.map(({ metadata }) => metadata.name);
    },
  };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Plays a case with Dials that have no defaults yet, stored as v2; `redefine` changes that. */
async function withDials(
  k: Kubectl,
  play: (
    redefine: (
      storage: string,
      defaults: Record<string, string>,
      conflict: () => Promise<boolean>,
    ) => Promise<void>,
  ) => Promise<void>,
  storage = 'v2',
): Promise<void> {
  const { path, create, get } = dials(k);
  const at = `${definitions}/dials.${group(k)}`;
  await k.server.rest('POST', definitions, definition(k, storage));
  try {
    await until('the definition applies', async () => {
      await k.server.rest('GET', path('v1'));
      await k.server.rest('GET', path('v2'));
      return true;
    });
    await create('v2', 'probe', {});
    await play(async (stored, defaults, conflict) => {
      const present = (await k.server.rest('GET', at)) as StoredObject;
      const next = definition(k, stored, defaults) as StoredObject;
      await k.server.rest('PUT', at, { ...next, metadata: present.metadata });
      await until('the definition applies', conflict);
      // A server reports each version of a definition separately.
      await until('the definition applies', async () => (await get('v1', 'probe')).spec !== undefined);
    });
  } finally {
    await k.server.rest('DELETE', at);
  }
}

const numbered = { v1: 'one', v2: 'two' };

suite('custom-defaults', (test) => {
  test('an object that was stored without a field shows the default of its storage version', async (k) => {
    const { create, get, sizes, names, merge, replace } = dials(k);
    await withDials(k, async (redefine) => {
      await create('v1', 'a', { inner: {}, items: [{}] });
      await create('v2', 'b', { inner: {}, items: [{}] });
      await create('v2', 'c', { size: 'own', inner: null, items: [{ size: null }] });
      await redefine('v2', numbered, async () => (await get('v2', 'a')).spec['size'] === 'two');
      const filled = ['two', { size: 'two' }, [{ size: 'two' }], 'two'];
      expect(await sizes('a')).toEqual([filled, filled]);
      expect(await sizes('b')).toEqual([filled, filled]);
      const own = ['own', undefined, [{ size: 'two' }], 'two'];
      expect(await sizes('c')).toEqual([own, own]);
      for (const version of ['v1', 'v2']) {
        expect(await names(version, 'two')).toEqual(['a', 'b', 'probe']);
        expect(await names(version, 'one')).toEqual([]);
      }
      const shown = await get('v2', 'b');
      const retained = await replace('v2', shown);
      expect(retained.metadata.resourceVersion).not.toBe(shown.metadata.resourceVersion);
      expect([retained.metadata.generation, retained.spec]).toEqual([1, shown.spec]);
      expect((await replace('v2', retained)).metadata.resourceVersion).toBe(
        retained.metadata.resourceVersion,
      );
      await redefine(
        'v2',
        { v1: 'uno', v2: 'due' },
        async () => (await get('v2', 'a')).spec['size'] === 'due',
      );
      expect((await get('v1', 'b')).spec['size']).toBe('two');
      const label = await merge('v1', 'a', { metadata: { labels: { a: 'b' } } });
      expect([label.spec['size'], label.metadata.generation]).toEqual(['due', 1]);
    });
  });

  test('a removed field gets the default of the version of the request', async (k) => {
    const { create, sizes, merge, get, replace } = dials(k);
    await withDials(k, async (redefine) => {
      await redefine('v2', numbered, async () => (await get('v2', 'probe')).spec['size'] === 'two');
      const made = await create('v1', 'a', { size: null, inner: {}, items: [{}] });
      expect([made.spec, made.status]).toEqual([
        { size: 'one', inner: { size: 'one' }, items: [{ size: 'one' }] },
        { phase: 'two' },
      ]);
      const one = ['one', { size: 'one' }, [{ size: 'one' }], 'two'];
      expect(await sizes('a')).toEqual([one, one]);
      await merge('v2', 'a', { spec: { size: null, inner: { size: null } } });
      const two = ['two', { size: 'two' }, [{ size: 'one' }], 'two'];
      expect(await sizes('a')).toEqual([two, two]);
      const { metadata, ...rest } = await get('v1', 'a');
      const replaced = await replace('v1', { ...rest, metadata, spec: { other: 'x' } });
      expect([replaced.spec, replaced.metadata.generation]).toEqual([{ other: 'x', size: 'one' }, 3]);
      const cleared = await merge('v1', 'a/status', { status: { phase: null } });
      expect([cleared.status, cleared.metadata.generation]).toEqual([{ phase: 'one' }, 3]);
    });
  });

  test('an apply does not own defaults; any other write does', async (k) => {
    const { create, apply, get } = dials(k);
    const owners = ({ metadata }: StoredObject) =>
      (metadata.managedFields ?? [])
        .map(
          ({ manager, fieldsV1 }) =>
            `${manager} ${JSON.stringify((fieldsV1 as Record<string, unknown>)['f:spec'])}`,
        )
        .sort();
    await withDials(k, async (redefine) => {
      await redefine('v2', numbered, async () => (await get('v2', 'probe')).spec['size'] === 'two');
      const first = await apply('v1', 'a', { inner: {} }, 'm1');
      expect(owners(first)).toEqual(['m1 {"f:inner":{}}']);
      const again = await apply('v2', 'a', { inner: {} }, 'm1');
      expect(again.spec).toEqual({ inner: { size: 'one' }, size: 'one' });
      await apply('v1', 'a', { size: 'own' }, 'm2');
      const dropped = await apply('v2', 'a', {}, 'm2');
      expect([dropped.spec['size'], owners(dropped)]).toEqual(['two', ['m1 {"f:inner":{}}', 'm2 {}']]);
      const made = await create('v1', 'b', {});
      expect(owners(made)).toEqual(['unknown {".":{},"f:size":{}}']);
      await expect(apply('v1', 'b', { size: 'else' }, 'm1')).rejects.toThrow('conflict with \\"unknown\\"');
    });
  });

  test('an object that is stored at another version keeps its defaults until it is written again', async (k) => {
    const { create, get, replace, sizes } = dials(k);
    await withDials(
      k,
      async (redefine) => {
        await create('v2', 'a', {});
        await redefine('v1', numbered, async () => (await get('v2', 'a')).spec['size'] === 'one');
        const at = `${definitions}/dials.${group(k)}`;
        await redefine('v2', numbered, async () => {
          const { status } = (await k.server.rest('GET', at)) as StoredObject;
          return (status['storedVersions'] as string[]).length === 2;
        });
        const one = ['one', undefined, undefined, 'one'];
        expect(await sizes('a')).toEqual([one, one]);
        const shown = await get('v2', 'a');
        const moved = await replace('v2', shown);
        expect(moved.metadata.resourceVersion).not.toBe(shown.metadata.resourceVersion);
        expect(await sizes('a')).toEqual([['one', undefined, undefined, 'one'], one]);
      },
      'v1',
    );
  });
});
