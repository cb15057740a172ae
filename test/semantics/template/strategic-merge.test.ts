import { createVirtualClock, createWorld } from 'kruise-sandbox';
import * as fc from '../../property.ts';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { strategicMerge, UnfitPatch } from '../../../semantics/template/strategic-merge.ts';
import { objectOf } from '../../../semantics/values/read.ts';

/** A spec of a pod with lists of each sort. */
const container = {
  name: 'main',
  image: 'web:1',
  env: [
    { name: 'A', value: 'a' },
    { name: 'B', value: 'b' },
  ],
  ports: [{ containerPort: 80, name: 'http' }],
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
  args: ['x', 'y'],
};
const spec = {
  containers: [container, { name: 'side', image: 'side:1' }],
  volumes: [{ name: 'data', emptyDir: {} }],
  nodeSelector: { zone: 'a', disk: 'ssd' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  imagePullSecrets: [{ name: 'one' }],
};

const deep = <T>(value: T): T => structuredClone(value);
const merged = (patch: JsonObject) => strategicMerge(deep({ spec }), patch)['spec'];

const someOf = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.record(parts, { requiredKeys: [] });
const variable = fc.record({ name: fc.constantFrom('A', 'C', 'D'), value: fc.constantFrom('1', '2') });
const env = fc.uniqueArray(
  fc.oneof(variable, fc.record({ name: fc.constantFrom('B', 'E'), $patch: fc.constant('delete') })),
  { selector: ({ name }) => name, maxLength: 3 },
);
const patches = someOf({
  containers: fc.uniqueArray(
    someOf({
      image: fc.constantFrom('web:2', null),
      env: fc.oneof(env, fc.constant([{ $patch: 'replace' }, { name: 'Z', value: 'z' }])),
      args: fc.constantFrom(['z'], null),
      ports: fc.constantFrom([{ containerPort: 80, protocol: 'TCP' }], [{ containerPort: 81 }]),
      volumeMounts: fc.constantFrom([{ name: 'data', mountPath: '/data', readOnly: true }]),
    }).chain(({ env: variables, ...fields }) =>
      // In new items the server leaves directives to its decoder.
      fc.constantFrom('main', 'new').map((name) => ({
        ...fields,
        ...(name === 'main' && variables !== undefined && { env: variables }),
        name,
      })),
    ),
    { selector: ({ name }) => name, maxLength: 3 },
  ),
  nodeSelector: fc.constantFrom({ zone: 'b' }, { disk: null }, { $patch: 'replace', zone: 'c' }, null),
  tolerations: fc.constantFrom([{ key: 'other', operator: 'Exists' }], null),
  volumes: fc.constantFrom(
    [{ name: 'data', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }],
    [{ name: 'more', emptyDir: {} }],
    [{ name: 'data', $patch: 'delete' }],
  ),
  imagePullSecrets: fc.constantFrom([{ name: 'two' }], [{ name: 'one', $patch: 'delete' }]),
  securityContext: fc.constantFrom({ runAsUser: 5, runAsGroup: null }),
});

describe('a strategic merge of a pod', () => {
  it('is the one of the API server, but for the order of lists', async () => {
    const world = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)) });
    const cluster = world.cluster('alice');
    const template = {
      ...{ group: '', version: 'v1', plural: 'podtemplates', kind: 'PodTemplate', namespaced: true },
    };
    let made = 0;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(patches, async (patch) => {
        const at = { name: `web-${(made += 1)}`, namespace: 'default' };
        const stored = await cluster.create(template, {
          apiVersion: 'v1',
          kind: 'PodTemplate',
          metadata: at,
          template: { metadata: {}, spec },
        });
        const before = objectOf(objectOf(stored['template'])['spec']);
        const body = { template: { spec: patch } } as unknown as JsonObject;
        const answer = await cluster.patch(template, at, { type: 'strategic', body }).catch(() => undefined);
        // A pod that the server would refuse.
        if (answer === undefined) return;
        compared += 1;
        const own = strategicMerge(deep(before), patch as JsonObject);
        const named = (value: unknown): unknown => withoutDefaults(sorted(value));
        expect(named(own)).toEqual(named(objectOf(answer['template'])['spec']));
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(10);
    world.stop();
  });

  it('keeps what is there, and adds new items at the end', () => {
    const containers: JsonObject[] = [
      { name: 'new', image: 'n' },
      { name: 'main', env: [{ name: 'C', value: 'c' }] },
    ];
    expect(objectOf(merged({ spec: { containers } }))['containers']).toEqual([
      { ...container, env: [...container.env, { name: 'C', value: 'c' }] },
      spec.containers[1],
      { name: 'new', image: 'n' },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['an item without its key', { spec: { containers: [{ image: 'x' }] } }, 'spec.containers.0.name'],
    ['a text in a list of maps', { spec: { containers: ['x'] } }, 'spec.containers.0'],
    ['a list for a map', { spec: [] }, 'spec'],
    ['a map for a list', { spec: { tolerations: {} } }, 'spec.tolerations'],
    ['an order', { spec: { '$setElementOrder/containers': [] } }, 'spec.$setElementOrder/containers'],
    ['another directive', { spec: { $patch: 'merge' } }, 'spec.$patch'],
    ['fields that are not retained', { spec: { $retainKeys: [], hostname: 'x' } }, 'spec.$retainKeys'],
  ])('does not fit: %s', (_what, patch, path) => {
    try {
      merged(patch);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UnfitPatch);
      expect((error as UnfitPatch).path.join('.')).toBe(path);
    }
  });

  it('changes no prototype, and not what it was given', () => {
    const patch = JSON.parse('{"spec":{"__proto__":{"polluted":true}}}') as JsonObject;
    const before = JSON.stringify(patch);
    const result = objectOf(merged(patch));
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as JsonObject)['polluted']).toBeUndefined();
    expect(JSON.stringify(patch)).toBe(before);
  });
});

/** Lists by their JSON: the server orders new items before old ones. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)

      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

/** Without what the server adds to new items, and without empty lists, which it does not store. */
function withoutDefaults(value: unknown): unknown {
  const defaulted = new Set([
    ...[
      'imagePullPolicy',
      'terminationMessagePath',
      'terminationMessagePolicy',
      'resources',
      'protocol',
      'type',
    ],
  ]);
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const isNone = defaulted.has(key) || (Array.isArray(each) && each.length === 0);
      return isNone ? [] : [[key, withoutDefaults(each)]];
    }),
  );
}
