import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { diagnosticsOf } from '../../compiler/world/manifests.ts';
import { planned, type Files } from '../../compiler/world/history.ts';
import type { Parts, PrintedFacts } from './matrix-of-git.ts';

/** Pods of another owner, which a target may select: as many as the other kinds have units. */
const others = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'other', namespace: 'shop' },
  spec: {
    replicas: 10,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'other:1' }] },
    },
  },
};

const withOthers: Files = { 'others.yaml': stringify(others) };

function config(batch: JsonObject = {}, isCounted = true): Files {
  const steps = [{ match: {}, batches: [{ to: '100%', ...batch }] }];
  return { 'kruise.yaml': stringify({ steps, ...(isCounted && { assume: { nodes: 10 } }) }) };
}

function below(root: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
}

/** Plans kinds in the compiler, and compares what it prints. */
export function playMatrixOfGit(matrix: Readonly<Record<string, PrintedFacts>>): void {
  describe.each(Object.entries(matrix))('of a %s', (_, { manifest, ...expected }) => {
    const of = (parts: Parts): Files => ({ 'web.yaml': stringify(manifest(parts)) });
    const problems = async (code: string, base: Files, head: Files): Promise<string[]> => {
      const { all } = await diagnosticsOf({ ...below('base', base), ...below('head', head) });
      return all.filter((each) => each.code === code).map(({ message }) => message);
    };
    const forecastIn = (files: Files): string =>
      Object.entries(files).find(([path]) => path.endsWith('/forecast.md'))?.[1] ?? '';

    test('a removal says what is deleted', async () => {
      const found = await problems('KR2120', { ...of({ image: 'web:1' }), ...withOthers }, withOthers);
      expect(found).toEqual([expected.removal]);
    });

    test('an update has the words of its units', async () => {
      const { files } = await planned(
        { ...of({ image: 'web:1' }), ...withOthers },
        { ...of({ image: 'web:2' }), ...withOthers, ...config() },
      );
      expect(forecastIn(files).split('\n')[0]?.split('`: ')[1]).toBe(expected.update);
    });

    test.each(expected.limits)('limits are rounded as they apply: $own', async ({ own, field, most }) => {
      const widerThan = (limit: number): Promise<string[]> => {
        const step: JsonObject =
          field === 'parallelism' ? { [field]: limit } : { window: { [field]: limit } };
        return problems(
          'KR3006',
          { ...of({ image: 'web:1', limits: own }), ...withOthers },
          { ...of({ image: 'web:2', limits: own }), ...withOthers, ...config(step) },
        );
      };
      expect(await widerThan(most === 'any' ? 50 : most)).toEqual([]);
      if (most === 'any') return;
      expect(await widerThan(most + 1)).toEqual([
        `the step's ${field} ${most + 1} is more than the target's own ${own[field] ?? ''}: the lower one applies at any time`,
      ]);
    });

    const { withoutUpdates, continued } = expected;
    if (withoutUpdates !== undefined)
      test('without updates it says who gets a change', async () => {
        const { type, line, ended, ...texts } = withoutUpdates;
        const { files } = await planned(
          { ...of({ image: 'web:1', type }), ...withOthers },
          { ...of({ image: 'web:2', type }), ...withOthers, ...config() },
        );
        const forecast = forecastIn(files);
        expect(forecast.split('\n')[0]?.split('`: ')[1]).toBe(line);
        for (const text of Object.values(texts)) expect(forecast).toContain(text);
        const before = { ...of({ image: 'web:1', type }), ...withOthers };
        const after = { ...of({ image: 'web:1' }), ...withOthers };
        expect(await problems('KR2130', before, after)).toEqual([ended]);
      });

    if (continued !== undefined)
      test.each([
        { isCounted: true, kept: continued.kept },
        { isCounted: false, kept: continued.keptUncounted },
      ])('a running plan keeps its limits (units in git: $isCounted)', async ({ isCounted, kept }) => {
        const around = { ...(isCounted && withOthers), ...config({}, isCounted) };
        const at = (image: string, percent: string): Files => ({
          ...of({ image, limits: continued.limits(percent) }),
          ...around,
        });
        const first = await planned(at('web:1', '25%'), at('web:2', '25%'));
        const next = await planned(first.files, { ...first.files, ...at('web:2', '50%') });
        expect(next.host.out).toContain(
          `; a plan that still runs keeps ${kept}, and kruise plan --continue widens it`,
        );
      });
  });
}
