import { describe, expect, test, vi } from 'vitest';
import type { ClusterAccess } from '../../cli/cluster/cluster.ts';
import { consequenceOf } from '../../cli/rollout/consequence.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { everyPlanned } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const expires = '2026-01-01T18:00:00Z';

/** What the command prints before it is sent. */
async function consequence(object: KubeObject): Promise<string | undefined> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '' } = metadata;
  const reached = { cluster: { get: () => Promise.resolve(object) } } as unknown as ClusterAccess;
  return consequenceOf(
    reached,
    { kind, name, namespace, plan: undefined },
    { action: 'BreakGlass', target: { apiVersion, kind, name }, expires },
  );
}

describe.each(everyPlanned)('break-glass of a %s', (_name, { target, breakGlass }) => {
  test.each(Object.entries(breakGlass))('%s', async (_what, { now, spec = {}, status = {} }) => {
    expect(await consequence(target({ spec, status }))).toBe(
      `${now}, and its plans are suspended until ${expires}`,
    );
  });
});
