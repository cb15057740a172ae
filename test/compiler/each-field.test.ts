import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compile } from '../../compiler/compile.ts';
import { schemaOf } from '../../compiler/validate/known-fields.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { isAll, isFull } from '../lanes.ts';
import { errorsOf } from './world/field-mutants.ts';

const state = (root: string) => ({ root, paths: [root], plans: `${root}/plans` });

/** Both sides of git: the mutant is at head, or at base. */
function inGit(object: JsonObject, origin: JsonObject, isHead: boolean): void {
  const texts = [stringify(object), stringify(origin)];
  const [head = '', base = ''] = isHead ? texts : texts.toReversed();
  const host = memoryHost({ '/r/head/a.yaml': head, '/r/base/a.yaml': base });
  const { diagnostics } = compile(host, { head: state('/r/head'), base: state('/r/base'), strict: false });
  for (const { message } of diagnostics) expect(message).not.toMatch(/undefined|\[object Object\]|NaN/);
}

/** What the runtime makes of an object that the server has stored. */
function inCluster(object: JsonObject): void {
  const kind = kinds.find(({ id }) => id.kind === object['kind']);
  const metadata = object['metadata'] as JsonObject;
  const target = {
    ...object,
    metadata: {
      ...metadata,
      name: 'web',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  } as unknown as KubeObject;
  if (kind === undefined) throw new Error('no such kind');
  // The server stores no other.
  if (schemaOf(kind.id).validate(target).length > 0) return;
  kind.validate(target);
  kind.unsupported(target);
  const now = Date.UTC(2026, 1, 1);
  const lists = {
    children: [],
    claims: [],
    configs: [],
    placement: [],
    podsOnNodes: [],
    runs: [],
    owners: [],
  };
  const needs = kind.needs(target, [], []);
  expect(Array.isArray(needs)).toBe(true);
  const objects = {
    ...lists,
    target,
    pods: [],
    revisions: [],
    takenNames: new Set<string>(),
    disruptionBudgets: [],
    now,
  };
  if (kind.shape === 'Standing') {
    kind.influence?.onDisrupt(target, now);
    if (kind.validate(target).length === 0) kind.observe(objects).decide(undefined);
    return;
  }
  const snapshot = kind.observe(objects);
  if (snapshot.rollout.invalid.length === 0) snapshot.revise();
}

/** How many groups of draws are played, and how many draws each has: 100,000 where all is played. */
const [GROUPS, DRAWS] = isAll ? [50, 2_000] : isFull ? [2, 500] : [1, 60];

test.each(Array.from({ length: GROUPS }, (_, group) => group))(
  'no value of a field is an internal error, in git or in the runtime: group %d',
  async (group) => {
    const seed = Number(process.env['KRUISE_TEST_SEED'] ?? 0) + group;
    const errors = await errorsOf(seed, DRAWS, (object, origin, n) => {
      inGit(object, origin, n % 4 !== 0);
      inCluster(object);
    });
    expect(errors).toEqual([]);
  },
  600_000,
);
