import { describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { type Files, manifest, planned, v1 } from '../../compiler/world/history.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import type { Parts, PrintedFacts } from '../../semantics/kinds/matrix-of-git.ts';
import { playMatrixOfGit } from '../../semantics/kinds/play-matrix-of-git.ts';
import { badge } from './manifests.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));
vi.mock('../../../schemas/generated/targets.ts', async (original) => {
  const { withBadges } = await import('./targets.ts');
  return withBadges(await original());
});

const steps = { 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 20%}, {to: 100%}]}]\n' };
const files = (image: string, spec: JsonObject = {}): Files => ({
  'badge.yaml': stringify(badge(image, spec)),
});
const FOLDER = 'plans/_cluster/badge-name';

describe('a target that adds to new pods of others', () => {
  test('is planned and forecast for the pods that it selects', async () => {
    const { code, files: made } = await planned(
      { ...files('badge:1'), ...manifest(v1) },
      { ...files('badge:2'), ...manifest(v1), ...steps },
    );
    expect(code).toBe(0);
    const { spec } = parse(made[`${FOLDER}/plan.yaml`] ?? '') as RolloutPlan;
    expect(spec.to.hash).toBe(templateHash({ spec: { containers: [{ name: 'badge', image: 'badge:2' }] } }));
    expect(spec.from).toMatchObject([{ mode: 'InPlace' }]);
    expect(spec.steps.map(({ update }) => update?.to)).toEqual(['20%', '100%']);
    const forecast = made[`${FOLDER}/forecast.md`] ?? '';
    expect(forecast).toContain(
      'In the manifests it selects 1 workload in 1 namespace with 10 pods: CloneSet shop/web.',
    );
  });

  const deployment = (name: string): string =>
    stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name, image: 'web:1' }] } },
      },
    });
  const namespace = (labels: JsonObject): string =>
    stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } });
  const validated = async (texts: Files): Promise<string> => {
    const at = Object.fromEntries(Object.entries(texts).map(([path, text]) => [`head/${path}`, text]));
    const { host } = await kruise(at, { args: ['validate', 'head'] });
    return host.err + host.out;
  };

  test('is compared with the pods that it selects', async () => {
    expect(await validated({ ...files('badge:1'), 'a.yaml': deployment('main') })).not.toMatch(/KR22|KR219/);
    const clash = await validated({ ...files('badge:1'), 'a.yaml': deployment('badge') });
    expect(clash).toMatch(/error\[KR2217\].*Badge name.*container badge/);
    const privileged = {
      containers: [{ name: 'badge', image: 'badge:1', securityContext: { privileged: true } }],
    };
    const refused = await validated({
      ...files('badge:1', privileged),
      'a.yaml': deployment('main'),
      'b.yaml': namespace({ 'pod-security.kubernetes.io/enforce': 'baseline' }),
    });
    expect(refused).toMatch(/KR2194.*badge/);
    const other = { 'c.yaml': stringify(badge('badge:1', {}, 'other')) };
    expect(await validated({ ...files('badge:1'), ...other, 'a.yaml': deployment('main') })).toMatch(
      /KR2190.*container badge/,
    );
  });

  test('is written into the templates of the pods that it selects', async () => {
    const at = { 'apps/a.yaml': stringify(badge('badge:1')), 'apps/b.yaml': deployment('main') };
    const { host, code } = await kruise(at, { args: ['build', 'apps', '--sidecars'] });
    expect(code).toBe(0);
    expect(host.out).toMatch(/name: badge\n +image: badge:1/);
  });
});

playMatrixOfGit({
  Badge: {
    manifest: ({ image, limits }: Parts): JsonObject => ({
      ...(badge(image, { ...limits }, 'web') as unknown as JsonObject),
    }),
    removal: 'Badge web is removed: its pods keep their badges',
    update: 'all selected pods updated in place',
    limits: [{ own: { maxUnavailable: 2 }, field: 'maxUnavailable', most: 2 }],
    withoutUpdates: undefined,
    continued: undefined,
  } satisfies PrintedFacts,
});
