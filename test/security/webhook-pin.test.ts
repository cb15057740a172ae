import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sidecarSetKind } from '../../semantics/sidecarset/kind.ts';
import { diagnosticsOf } from '../compiler/world/manifests.ts';
import { injection, podOf, setOf, sidecar } from '../semantics/sidecarset/model.ts';
import { rolling } from '../semantics/sidecarset/rolling.ts';

const pin = (revision: JsonObject): JsonObject => ({ injectionStrategy: { revision } });

function revisionOf(number: number, set = 'mesh'): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `${set}-${number}`, labels: { 'kruise.io/sidecarset-name': set } },
    revision: number,
    data: { spec: { containers: [sidecar('mesh')] } },
  };
}

function refusalWith(revision: JsonObject, revisions: readonly KubeObject[]): string {
  const result = injection([setOf('mesh', pin(revision))], { pod: podOf(), revisions });
  return 'refused' in result ? result.refused : 'injected';
}

describe('a pinned revision that does not exist', () => {
  test('refuses each pod, and the refusal names the set, the revision, those that exist, and the way out', () => {
    const there = [1, 2, 3, 4, 5, 6, 7].map((each) => revisionOf(each));
    expect(refusalWith({ revisionName: 'mesh-9' }, [...there, revisionOf(1, 'other')])).toBe(
      'SidecarSet mesh cannot be injected: spec.injectionStrategy.revision pins the revision mesh-9, which does not exist, so that ' +
        'every pod that the set selects is refused; pin one that exists (mesh-7, mesh-6, mesh-5, mesh-4, mesh-3 and 2 more), ' +
        'or remove the field',
    );
    expect(refusalWith({ customVersion: 'v9' }, [])).toBe(
      'SidecarSet mesh cannot be injected: spec.injectionStrategy.revision pins the custom version v9, which no revision has, so ' +
        'that every pod that the set selects is refused; the set has no revision yet: remove the field',
    );
  });

  /** What is invalid in the set with a revision on record, once it has this spec. */
  function invalidWith(spec: JsonObject): readonly string[] {
    const world = rolling();
    world.set('mesh', { containers: [sidecar('mesh')], customVersion: 'v1' });
    world.reconcile();
    world.set('mesh', { containers: [sidecar('mesh', { image: 'mesh:2' })], ...spec });
    const [target] = world.sets.values();
    if (target === undefined || sidecarSetKind.shape !== 'Rollout') throw new Error('no set');
    const revisions = [...world.revisions.values()];
    return sidecarSetKind.observe({
      target,
      pods: [],
      revisions,
      takenNames: new Set(),
      now: 0,
    } as never).rollout.invalid;
  }

  test('holds the set, which says so', () => {
    expect(invalidWith(pin({ customVersion: 'v9' }))).toEqual([
      expect.stringMatching(
        /^spec\.injectionStrategy\.revision pins the custom version v9, .*pin one that exists \(mesh-\w+\)/,
      ),
    ]);
    expect(invalidWith(pin({ revisionName: 'mesh-none' }))).toEqual([
      expect.stringContaining('pins the revision mesh-none, which does not exist'),
    ]);
  });

  test('that exists, or that the present content becomes, does not', () => {
    expect(invalidWith(pin({ customVersion: 'v1' }))).toEqual([]);
    expect(invalidWith({ ...pin({ customVersion: 'v2' }), customVersion: 'v2' })).toEqual([]);
  });
});

const NOTHING = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none, namespace: shop}\n';

describe('in git', () => {
  const setWith = (revision: string): string =>
    [
      'apiVersion: apps.kruise.io/v1beta1',
      'kind: SidecarSet',
      'metadata: {name: mesh}',
      'spec:',
      '  selector: {matchLabels: {app: web}}',
      '  containers: [{name: mesh, image: "mesh:1"}]',
      `  injectionStrategy: {revision: {${revision}}}`,
      '',
    ].join('\n');
  const plain = setWith('').replace(/ {2}injectionStrategy.*\n/, '');
  const found = async (revision: string, base?: string): Promise<string[]> => {
    const files = {
      'head/set.yaml': setWith(revision),
      'base/set.yaml': base ?? NOTHING,
    };
    const { all } = await diagnosticsOf(files);
    return all.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
  };

  test.each(['other-5d8f', 'mesh', 'mesh-5d8f-1', 'meshes-5d8f'])(
    'the name %s, which no revision of the set can have, is an error',
    async (name) => {
      expect(await found(`revisionName: ${name}`, plain)).toEqual([
        expect.stringMatching(
          /^error KR2005 spec\.injectionStrategy\.revision\.revisionName must be .*mesh-HASH/,
        ),
      ]);
    },
  );

  test.each(['revisionName: mesh-5d8f', 'customVersion: v1'])(
    'a new set that pins %s is a warning: it has no revision yet',
    async (revision) => {
      expect(await found(revision)).toEqual([
        expect.stringMatching(
          /^warning KR2199 .*SidecarSet mesh is new.*every pod that it selects is refused/,
        ),
      ]);
    },
  );

  test('one that may exist is neither', async () => {
    expect(await found('revisionName: mesh-5d8f', plain)).toEqual([]);
  });
});
