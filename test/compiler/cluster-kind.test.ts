import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { cloneSet, diagnosticsOf, kruise } from './world/manifests.ts';

const GROUP = vi.hoisted(() => 'test.plan.kruise.io');

// A cluster-scoped kind that is otherwise like an existing one.
vi.mock(import('../../semantics/registry/registered.ts'), async (original) => {
  const { registered, kindsByName } = await original();
  const like = kindsByName.CloneSet;
  const names = { group: GROUP, version: 'v1alpha1', kind: 'Fleet', plural: 'fleets' };
  const resource = { ...names, namespaced: false };
  const fleet: PlannedKind = {
    ...like,
    id: { group: GROUP, kind: 'Fleet' },
    resource,
    versions: ['v1alpha1'],
    validate: (target) =>
      target.metadata.name === 'node-agent'
        ? like.validate(target)
        : [{ path: ['metadata', 'name'], rule: 'must be node-agent' }],
    facts: { ...like.facts, nouns: { unit: 'berth', units: 'berths' } },
  };
  return { registered: [...registered, fleet] };
});
vi.mock(import('../../schemas/generated/targets.ts'), async (original) => {
  const { targetSchemas, schemaDocuments } = await original();
  const like = targetSchemas.find(({ kind }) => kind === 'CloneSet');
  if (like === undefined) throw new Error('no kind has a schema');
  const fleet = {
    ...like,
    group: GROUP,
    kind: 'Fleet',
    validate: (object: unknown) =>
      like.validate({ ...(object as JsonObject), apiVersion: `${like.group}/v1alpha1`, kind: like.kind }),
  };
  return { targetSchemas: [...targetSchemas, fleet], schemaDocuments };
});

const fleet = (image: string, namespace?: string): string =>
  cloneSet({ name: 'node-agent', image })
    .replace(/^apiVersion: .*$/m, `apiVersion: ${GROUP}/v1alpha1`)
    .replace(/^kind: .*$/m, 'kind: Fleet')
    .replace(/^ {2}namespace: shop\n/m, namespace === undefined ? '' : `  namespace: ${namespace}\n`);

const PLAN = 'plans/_cluster/fleet-node-agent/plan.yaml';
const states = { 'base/fleet.yaml': fleet('agent:1'), 'head/fleet.yaml': fleet('agent:2') };

async function planned(more: Record<string, string> = {}) {
  const { host, code } = await kruise({ ...states, ...more });
  const text = String(host.files.get(`/repo/head/${PLAN}`));
  return { host, code, text, plan: parse(text) as RolloutPlan };
}

describe('a cluster-scoped kind', () => {
  test('has a ClusterRolloutPlan without a namespace, in its own folder', async () => {
    const { code, plan } = await planned();
    expect(code).toBe(0);
    expect(plan).toMatchObject({
      kind: 'ClusterRolloutPlan',
      metadata: { name: 'fleet-node-agent' },
      spec: { target: { apiVersion: `${GROUP}/v1alpha1`, kind: 'Fleet', name: 'node-agent' } },
    });
    expect(plan.metadata).not.toHaveProperty('namespace');
  });

  test('keeps the committed plan, and supersedes the one at base', async () => {
    const first = await planned();
    const again = await planned({ [`head/${PLAN}`]: first.text });
    expect(again.text).toBe(first.text);
    const second = await planned({
      'base/fleet.yaml': fleet('agent:2'),
      'head/fleet.yaml': fleet('agent:3'),
      [`base/${PLAN}`]: first.text,
      [`head/${PLAN}`]: first.text,
    });
    expect(second.plan.spec.supersedes).toEqual([first.plan.spec.digest]);
  });

  test.each([
    ['of a kind that has namespaces', 'kind: ClusterRolloutPlan', 'kind: RolloutPlan'],
    ['that is in a namespace', 'metadata:\n', 'metadata:\n  namespace: shop\n'],
  ])('refuses a plan %s', async (_what, from, to) => {
    const { text } = await planned();
    const edited = text.replace(from, to);
    const atBase = await kruise({ ...states, [`base/${PLAN}`]: edited });
    expect([atBase.code, atBase.host.err]).toEqual([0, expect.stringContaining('KR3025')]);
    const { host, code } = await kruise(
      { ...states, [`head/${PLAN}`]: edited },
      { args: ['plan', 'head', '--base-dir', 'base', '--check'] },
    );
    expect([code, host.err]).toEqual([21, expect.stringContaining('KR3002')]);
  });

  test('must not name a namespace', async () => {
    const { positions: found } = await diagnosticsOf(
      { 'head/fleet.yaml': fleet('agent:1', 'shop') },
      { args: ['validate', 'head'] },
    );
    expect(found).toContainEqual(expect.stringMatching(/^KR2005 head\/fleet.yaml:\d+:3/));
  });

  test('is refused for what would make it InvalidTarget in the cluster, including rules of the kind', async () => {
    const files = { 'head/fleet.yaml': fleet('agent:1').replace('name: node-agent', 'name: other') };
    const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(all.map(({ code, severity, message, line }) => [code, severity, message, line])).toEqual([
      ['KR2005', 'error', 'metadata.name must be node-agent', 4],
    ]);
  });

  test('counts its units by their own name', async () => {
    const { host } = await planned();
    expect(host.out).toContain('10 berths updated in place');
    expect(String(host.files.get(`/repo/head/${PLAN.replace('plan.yaml', 'forecast.md')}`))).toContain(
      '| berths of 5 | of 10 |',
    );
  });

  test('waits for a target in a namespace by that namespace, and namespaced targets wait for it without one', async () => {
    const after = (kind: string, rest: string): string => `after: [{kind: ${kind}, ${rest}}]`;
    const { plan, host } = await planned({
      'base/web.yaml': cloneSet({ image: 'nginx:1' }),
      'head/web.yaml': cloneSet({ image: 'nginx:2' }),
      'base/db.yaml': cloneSet({ name: 'db', image: 'db:1' }),
      'head/db.yaml': cloneSet({ name: 'db', image: 'db:2' }),
      'head/kruise.yaml': [
        'steps:',
        `- {match: {kind: Fleet}, ${after('CloneSet', 'namespace: shop, name: db')}}`,
        `- {match: {name: web}, ${after('Fleet', 'name: node-agent')}}`,
        '',
      ].join('\n'),
    });
    expect(plan.spec.after).toEqual([{ kind: 'CloneSet', namespace: 'shop', name: 'db' }]);
    const web = parse(String(host.files.get('/repo/head/plans/shop/cloneset-web/plan.yaml'))) as RolloutPlan;
    expect(web.spec.after).toEqual([{ apiVersion: `${GROUP}/v1alpha1`, kind: 'Fleet', name: 'node-agent' }]);
    expect(String(host.files.get(`/repo/head/${PLAN.replace('plan.yaml', 'forecast.md')}`))).toContain(
      'It starts only after CloneSet shop/db is settled.',
    );
  });

  test.each([
    ['no namespace of a target that is in one', 'kind: Fleet', '{kind: CloneSet, name: web}'],
    [
      'a namespace of a target that is in none',
      'name: web',
      '{kind: Fleet, namespace: shop, name: node-agent}',
    ],
  ])('%s', async (_what, match, entry) => {
    const files = {
      'head/fleet.yaml': fleet('agent:1'),
      'head/web.yaml': cloneSet(),
      'head/kruise.yaml': `steps:\n- {match: {${match}}, after: [${entry}]}\ndefault: {}\n`,
    };
    const { positions: found } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(found.filter((each) => each.startsWith('KR4'))).toEqual([
      expect.stringMatching(/^KR4020 head\/kruise.yaml:2:\d+$/),
    ]);
  });

  test('a cycle through a namespace is found', async () => {
    const files = {
      'head/fleet.yaml': fleet('agent:1'),
      'head/web.yaml': cloneSet(),
      'head/kruise.yaml': [
        'steps:',
        '- {match: {kind: Fleet}, after: [{kind: CloneSet, namespace: shop, name: web}]}',
        '- {match: {}, after: [{kind: Fleet, name: node-agent}]}',
        '',
      ].join('\n'),
    };
    const { positions: found } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(found).toEqual([expect.stringMatching(/^KR4018 /)]);
  });
});
