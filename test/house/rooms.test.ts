import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forbiddenImports, rooms } from './rooms.ts';

describe('imports between rooms', () => {
  it('are only those that the table of rooms allows', async () => {
    const folders = Object.keys(rooms).filter((room) => existsSync(room));
    const { modules, violations } = await forbiddenImports('.', folders);
    expect(violations).toEqual([]);
    expect(modules).toBeGreaterThan(60);
    // Every file is parsed: a machine with other work needs a while.
  }, 240_000);

  it('are reported where they are not (control)', async () => {
    const fixture = 'test/house/fixtures/rooms';
    const { violations } = await forbiddenImports(fixture, [
      'cli',
      'compiler',
      'runtime',
      'sandbox',
      'schemas',
      'semantics',
    ]);
    expect(violations).toEqual([
      'client-node-has-one-importer: runtime/login.ts -> node_modules/@kubernetes/client-node/dist/index.js',
      'compiler-imports-only-schemas-semantics: compiler/pass.ts -> runtime/loop.ts',
      'no-cycle: cli/main.ts -> sandbox/server.ts -> semantics/rules.ts -> runtime/loop.ts -> cli/main.ts',
      'no-cycle: schemas/owned.ts -> schemas/owner.ts -> schemas/owned.ts',
      'no-cycle: semantics/cycle.ts -> semantics/rules.ts -> semantics/cycle.ts',
      'resolvable: sandbox/server.ts -> ./missing.ts',
      'runtime-imports-only-schemas-semantics: runtime/loop.ts -> cli/main.ts',
      'runtime-packages: runtime/loop.ts -> node_modules/yaml/dist/index.js',
      'sandbox-imports-only-schemas: sandbox/server.ts -> semantics/rules.ts',
      'schemas-imports-only-itself: schemas/kind.ts -> semantics/rules.ts',
      'semantics-imports-only-schemas: semantics/rules.ts -> runtime/loop.ts',
    ]);
  });
});
