import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { type Scripts, startLua } from '../deploy/health/lua.ts';
import { readStates } from '../deploy/health/objects.ts';
import { argoAssets } from './assets.ts';

const HEALTHS = ['Healthy', 'Suspended', 'Progressing', 'Degraded'];

/** The script that Argo CD has for a kind; undefined: none. */
function builtIn(group: string, kind: string): string | undefined {
  const path = join(argoAssets ?? '', 'resource_customizations', group, kind, 'health.lua');
  return argoAssets !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

const judged = kinds.flatMap((kind) => {
  const script = builtIn(kind.id.group, kind.id.kind);
  return script === undefined ? [] : [[kind.id.kind, script, readStates(kind)] as const];
});

/** Where a team has not added the checks of deploy/argocd, these judge: one error ends every sync of an Application. */
describe.skipIf(argoAssets === undefined)('the health checks that Argo CD has built in', () => {
  let lua: Scripts;
  beforeAll(async () => {
    lua = await startLua({ hasLibraries: true });
  });
  afterAll(() => lua.close());

  test('are for most kinds', () => {
    expect(judged.length).toBeGreaterThan(3);
  });

  test.each(judged)('find what they read of a %s in every phase', (kind, script, states) => {
    for (const { target } of states) {
      const { status: _status, ...rest } = target;
      // What the definition of the kind gives a new object.
      const fresh = { ...rest, ...(kind === 'AdvancedCronJob' && { status: {} }) };
      for (const object of [target, fresh]) expect(HEALTHS).toContain(lua.run(script, object)['status']);
    }
  });

  test('fail without what the definitions give', () => {
    const [, script, states] = judged.find(([kind]) => kind === 'StatefulSet') ?? [];
    const [{ target } = { target: {} as JsonObject }] = states ?? [];
    const { updateStrategy: _strategy, ...spec } = objectOf(target['spec']);
    expect(() => lua.run(script ?? '', { ...target, spec })).toThrow('updateStrategy');
  });
});
