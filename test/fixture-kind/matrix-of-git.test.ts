import { vi } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Parts, PrintedFacts } from '../semantics/kinds/matrix-of-git.ts';
import { playMatrixOfGit } from '../semantics/kinds/play-matrix-of-git.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));
vi.mock('../../schemas/generated/targets.ts', async (original) => {
  const { withRacks } = await import('./targets.ts');
  return withRacks(await original());
});

/** Ten slots, of which one is made anew at a time, whatever a step says. */
function entry(kind: 'Rack' | 'Aisle', namespace: string | undefined): PrintedFacts {
  return {
    manifest: ({ image }: Parts): JsonObject => ({
      apiVersion: 'test.plan.kruise.io/v1',
      kind,
      metadata: { name: 'web', ...(namespace !== undefined && { namespace }) },
      spec: {
        slots: 10,
        ...(namespace === undefined && { namespace: 'shop' }),
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
      },
    }),
    removal: `${kind} ${namespace === undefined ? 'web' : `${namespace}/web`} is removed: its 10 pods are deleted with it`,
    update: '10 slots recreated',
    limits: [{ own: { maxUnavailable: 1 }, field: 'maxUnavailable', most: 'any' }],
    withoutUpdates: undefined,
    continued: undefined,
  };
}

playMatrixOfGit({ Rack: entry('Rack', 'shop'), Aisle: entry('Aisle', undefined) });
