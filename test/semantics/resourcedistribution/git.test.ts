import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { earlierConflicts } from '../../../semantics/resourcedistribution/earlier-conflicts.ts';
import { distributionGit } from '../../../semantics/resourcedistribution/git.ts';

const names = (...list: string[]): JsonObject => ({ list: list.map((name) => ({ name })) });

function manifest(resource: JsonObject = {}, targets: JsonObject = { allNamespaces: true }): KubeObject {
  const source = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, ...resource };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'x' },
    spec: { resource: source, targets },
  };
}

test.each<[what: string, after: JsonObject, paths: string[]]>([
  ['another kind (RD-3)', { kind: 'Secret' }, ['spec.resource.kind']],
  ['another name (RD-3)', { metadata: { name: 'other' } }, ['spec.resource.metadata.name']],
  ['another version', { apiVersion: 'v2' }, ['spec.resource.apiVersion']],
  ['other labels', { metadata: { name: 'settings', labels: { a: 'b' } } }, []],
  ['other data', { data: { a: 'b' } }, []],
])('%s', (_what, after, paths) => {
  const found = distributionGit.changedForever(manifest(), manifest(after));
  expect(found.map((path) => path.join('.'))).toEqual(paths);
});

test('the keys that change are named, and no value', () => {
  const before = manifest({ kind: 'Secret', data: { a: 'YQ==', b: 'YQ==', c: 'YQ==' } });
  const after = manifest({ kind: 'Secret', data: { b: 'Yg==', c: 'YQ==' }, stringData: { d: 'hunter2' } });
  expect(distributionGit.effect(before, after)).toBe('in every copy: d new; a removed; b changed');
  expect(distributionGit.effect(before, before)).toBeUndefined();
});

describe('two of one name (section 10, item 4)', () => {
  const all = { allNamespaces: true };
  const selected = { namespaceSelector: { matchLabels: { team: 'a' } } };
  test.each<[one: JsonObject, other: JsonObject, rule: string | undefined]>([
    [all, all, 'is copied by both into every namespace'],
    [all, { includedNamespaces: names('a') }, 'is copied by both into namespace a'],
    [
      { includedNamespaces: names('a', 'b') },
      { includedNamespaces: names('b') },
      'is copied by both into namespace b',
    ],
    [{ includedNamespaces: names('a') }, { includedNamespaces: names('b') }, undefined],
    [{ ...all, excludedNamespaces: names('a') }, { includedNamespaces: names('a') }, undefined],
    [all, selected, undefined],
  ])('%j and %j', (one, other, rule) => {
    const [a, b] = [manifest({}, one), manifest({}, other)];
    expect(distributionGit.conflict(a, b)?.rule).toBe(rule);
    expect(distributionGit.conflict(a, manifest({ metadata: { name: 'other' } }, other))).toBeUndefined();
  });
});

describe('which earlier object each excludes', () => {
  const namespaces = ['a', 'b', 'c', 'd'];
  const list = fc.subarray(namespaces).map((each) => names(...each));
  const targets: fc.Arbitrary<JsonObject> = fc.oneof(
    list.map((excludedNamespaces): JsonObject => ({ allNamespaces: true, excludedNamespaces })),
    fc.record({ includedNamespaces: list, excludedNamespaces: list }),
    fc.constant<JsonObject>({ namespaceSelector: { matchLabels: { team: 'a' } } }),
  );
  const object = fc
    .record({
      targets,
      name: fc.constantFrom('settings', 'other'),
      kind: fc.constantFrom('ConfigMap', 'Secret'),
    })
    .map((each) => manifest({ kind: each.kind, metadata: { name: each.name } }, each.targets));

  test('is one that it does exclude, and there is one where any pair says so', () => {
    fc.assert(
      fc.property(fc.array(object, { maxLength: 8 }), (all) => {
        const found = earlierConflicts(all);
        all.forEach((one, index) => {
          const others = all.slice(0, index).map((other) => distributionGit.conflict(one, other));
          const other = found[index];
          expect(other === undefined).toBe(others.every((each) => each === undefined));
          if (other !== undefined) expect(others[other]).toBeDefined();
        });
      }),
    );
  });
});

test('one that names a namespace twice does not exclude itself', () => {
  const list = [{ name: 'shop' }, { name: 'shop' }];
  const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
  const spec = { resource, targets: { includedNamespaces: { list } } };
  const object = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'a' },
    spec,
  };
  expect(earlierConflicts([object])).toEqual([undefined]);
});
