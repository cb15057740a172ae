import { expect, test, vi } from 'vitest';
import { kindNamed } from '../../cli/command/kind-names.ts';
import { parseTarget } from '../../cli/command/find-target.ts';
import { apiVersionOf, plannedKind, writtenKind } from '../../compiler/plan/kinds.ts';
import { keyOf, predecessorsOf } from '../../compiler/plan/predecessors.ts';
import { ruleIndexFor } from '../../compiler/plan/match.ts';
import { planPath } from '../../compiler/plan/target.ts';
import { ruleProblems } from '../../compiler/plan/config-rules.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { rackKind } from './kind.ts';

vi.mock('../../semantics/registry/registered.ts', async () => {
  const { aisleKind, rackKind: rack } = await import('./kind.ts');
  return { registered: [rack, otherGroup(rack), aisleKind] };
});

/** A kind of the same name in another group. */
function otherGroup(kind: Kind): Kind {
  const group = 'other.example';
  return { ...kind, id: { ...kind.id, group }, resource: { ...kind.resource, group } };
}

const own = 'Rack.test.plan.kruise.io';
const foreign = 'Rack.other.example';
const locate = () => ({ source: { file: 'kruise.yaml', text: '' }, start: 0, end: 0 });

test('a kind is written with its group only where two groups have it', () => {
  expect(writtenKind(rackKind.id)).toBe(own);
  expect(writtenKind({ group: 'test.plan.kruise.io', kind: 'Aisle' })).toBe('Aisle');
  expect(plannedKind('Aisle')?.id.kind).toBe('Aisle');
  expect(plannedKind('Aisle.test.plan.kruise.io')?.id.kind).toBe('Aisle');
  expect(plannedKind('Rack')).toBeUndefined();
  expect([own, foreign].map(apiVersionOf)).toEqual(['test.plan.kruise.io/v1', 'other.example/v1']);
});

test('targets of two groups are two, and a rule takes those of its own group', () => {
  const [ours, theirs] = [own, foreign].map((text) => ({
    kind: 'Rack',
    type: plannedKind(text),
    namespace: 'shop',
    name: 'db',
  }));
  if (ours === undefined || theirs === undefined) throw new Error('there are two');
  expect(keyOf(ours)).not.toBe(keyOf(theirs));
  expect(keyOf(ours)).toBe(keyOf({ kind: own, namespace: 'shop', name: 'db' }));
  const config = { steps: [{ match: { kind: foreign } }, { match: { kind: own } }] };
  expect([ours, theirs].map((target) => ruleIndexFor(config, target))).toEqual([1, 0]);
  const rule = { match: {}, after: [{ kind: foreign, name: 'db' }] };
  expect(predecessorsOf(rule, ours)).toEqual([{ apiVersion: 'other.example/v1', kind: 'Rack', name: 'db' }]);
  expect(predecessorsOf(rule, theirs)).toEqual([]);
});

test('plans of two targets of one name have folders of their own', () => {
  const paths = [own, foreign, 'Aisle'].map((text) => {
    const type = plannedKind(text);
    if (type === undefined) throw new Error(`there is no ${text}`);
    return planPath({ type, namespace: 'shop', name: 'db' });
  });
  expect(paths).toEqual([
    'shop/rack.test.plan.kruise.io-db/plan.yaml',
    'shop/rack.other.example-db/plan.yaml',
    '_cluster/aisle-db/plan.yaml',
  ]);
});

test('a name of two kinds asks for the group', () => {
  const rule = { match: { kind: 'Rack' }, after: [{ kind: 'Rack', name: 'db' }] };
  const help = `write ${own} or ${foreign}`;
  expect(ruleProblems({ rule, at: ['steps', '0'], isFaulty: () => false }, undefined, locate)).toMatchObject([
    { code: 'KR4007', message: "several groups have a kind 'Rack'", help },
    { code: 'KR4007', help },
  ]);
  expect(parseTarget('rack/db', 'shop')).toEqual({
    problem: "several groups have a kind 'rack'",
    help: `write ${own}/db or ${foreign}/db`,
  });
  expect(parseTarget('rack.other.example/db', 'shop')).toEqual({
    kind: foreign,
    name: 'db',
    namespace: 'shop',
  });
  expect(kindNamed('racks')).toBeUndefined();
  expect(parseTarget('AISLE/db', undefined)).toMatchObject({ kind: 'Aisle' });
});
