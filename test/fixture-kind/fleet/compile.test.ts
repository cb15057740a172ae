import { describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { type Files, planned } from '../../compiler/world/history.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import type { Parts, PrintedFacts } from '../../semantics/kinds/matrix-of-git.ts';
import { playMatrixOfGit } from '../../semantics/kinds/play-matrix-of-git.ts';
import { fleet, zones } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));
vi.mock('../../../schemas/generated/targets.ts', async (original) => {
  const { withFleets } = await import('./targets.ts');
  return withFleets(await original());
});

const steps = { 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 20%}, {to: 50%}, {to: 100%}]}]\n' };
const files = (image: string, spec: JsonObject = {}): Files => ({ 'db.yaml': stringify(fleet(image, spec)) });
const FOLDER = 'plans/shop/fleet-db';

describe('a target with subsets', () => {
  test('is planned and forecast by the pods of all of them', async () => {
    const { code, files: made } = await planned(files('db:1'), { ...files('db:2'), ...steps });
    expect(code).toBe(0);
    const { spec } = parse(made[`${FOLDER}/plan.yaml`] ?? '') as RolloutPlan;
    expect(spec.to.hash).toBe(templateHash((fleet('db:2')['spec'] as { template: JsonObject }).template));
    expect(spec.from).toMatchObject([{ mode: 'Recreate' }]);
    expect(spec.steps.map(({ update }) => update?.to)).toEqual(['20%', '50%', '100%']);
    const forecast = made[`${FOLDER}/forecast.md`] ?? '';
    expect(forecast).toContain('10 slots recreated');
    expect(forecast).toContain('subset by subset: a (5), b (3), c (2)');
    expect(columnsOf(forecast)).toEqual(['2', '5', '10']);
  });

  test('has fewer pods in a step where a subset changes as a whole', async () => {
    const subsets = zones(5, 3, 2).map((each) => ({ ...each, whole: each['name'] !== 'b' }));
    const { files: made } = await planned(files('db:1', { subsets }), {
      ...files('db:2', { subsets }),
      ...steps,
    });
    const forecast = made[`${FOLDER}/forecast.md`] ?? '';
    expect(forecast).toContain(
      'subset by subset: b (3); each as a whole, once all of it fits into a step: c (2), a (5)',
    );
    // Of 2 pods, b has both. Of 5, b has 3, and c the others.
    expect(columnsOf(forecast)).toEqual(['2', '5', '10']);
    const large = zones(6, 3, 1).map((each) => ({ ...each, whole: each['name'] === 'a' }));
    const other = await planned(files('db:1', { subsets: large }), {
      ...files('db:2', { subsets: large }),
      ...steps,
    });
    expect(columnsOf(other.files[`${FOLDER}/forecast.md`] ?? '')).toEqual(['2', '4', '10']);
  });

  test('is explained with its subsets', async () => {
    const subsets = zones(5, 3).map((each, index) => ({ ...each, whole: index === 1 }));
    const { code, host } = await kruise(
      { 'db.yaml': stringify(fleet('db:1', { subsets })) },
      { args: ['explain', 'fleet/db'] },
    );
    expect([code, host.err]).toEqual([0, expect.not.stringContaining('error')]);
    expect(host.out).toContain('It has 8 slots in 2 subsets: a 5, b 3 (as a whole).');
  });

  test('is scaled without a plan', async () => {
    const {
      code,
      host,
      files: made,
    } = await planned(files('db:1'), files('db:1', { subsets: zones(5, 5, 2) }));
    expect(code).toBe(0);
    expect(host.out).toContain('10 to 12');
    expect(Object.keys(made).filter((path) => path.startsWith('plans/'))).toEqual([]);
  });
});

/** The expected number of pods of each step, in the table of a forecast. */
function columnsOf(forecast: string): string[] {
  const lines = forecast
    .split('\n')
    .filter((line) => /^\| `?(step|update|to)?-?[^|]*`? \| update to /.test(line));
  return lines.map((line) => line.split('|').map((cell) => cell.trim())[3] ?? '');
}

playMatrixOfGit({
  Fleet: {
    manifest: ({ image, limits }: Parts): JsonObject => ({
      ...(fleet(image, { ...limits }) as unknown as JsonObject),
      metadata: { name: 'web', namespace: 'shop' },
    }),
    removal: 'Fleet shop/web is removed: its 10 pods are deleted with it',
    update: '10 slots recreated',
    limits: [{ own: { maxUnavailable: 2 }, field: 'maxUnavailable', most: 2 }],
    withoutUpdates: undefined,
    continued: undefined,
  } satisfies PrintedFacts,
});
