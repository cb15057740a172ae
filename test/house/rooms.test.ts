import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forbiddenImports, packages, rooms } from './rooms.ts';

/** The imports that the table of rooms in a page allows each room: rooms and packages, sorted. */
function allowedBy(page: string): Record<string, string[]> {
  const [, section = ''] = page.split('\n## Rooms\n');
  const allowed: Record<string, string[]> = {};
  for (const [, room = '', cell = ''] of section.matchAll(/^\| `(\w+)\/` *\|[^|]*\|([^|]*)\|$/gm)) {
    if (cell.trim() === 'no code') continue;
    const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    allowed[room] = [...(cell.includes('every room above') ? Object.keys(allowed) : []), ...named].sort();
  }
  return allowed;
}

describe('imports between rooms', () => {
  it('are only those that the table of rooms allows', async () => {
    const folders = Object.keys(rooms).filter((room) => existsSync(room));
    const { modules, violations } = await forbiddenImports('.', folders);
    expect(violations).toEqual([]);
    expect(modules).toBeGreaterThan(60);
    // Parses every file, which takes long on a loaded machine.
  }, 240_000);

  it('are those of the table in ARCHITECTURE.md', () => {
    const enforced = Object.entries(rooms).map(
      ([room, allowed]) => [room, [...allowed, ...(packages[room] ?? [])].sort()] as const,
    );
    expect(allowedBy(readFileSync('ARCHITECTURE.md', 'utf8'))).toEqual(Object.fromEntries(enforced));
  });

  it('are reported otherwise (control)', async () => {
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
      'compiler-imports-only-schemas-semantics: compiler/stage.ts -> runtime/loop.ts',
      'no-cycle: cli/main.ts -> sandbox/server.ts -> semantics/rules.ts -> runtime/loop.ts -> cli/main.ts',
      'no-cycle: schemas/owned.ts -> schemas/owner.ts -> schemas/owned.ts',
      'no-cycle: semantics/cycle.ts -> semantics/rules.ts -> semantics/cycle.ts',
      'resolvable: sandbox/server.ts -> ./missing.ts',
      'runtime-imports-only-schemas-semantics: runtime/loop.ts -> cli/main.ts',
      'runtime-packages: runtime/loop.ts -> node_modules/yaml/dist/index.js',
      'sandbox-by-name: cli/main.ts -> sandbox/server.ts',
      'sandbox-imports-only-schemas: sandbox/server.ts -> semantics/rules.ts',
      'schemas-imports-only-itself: schemas/kind.ts -> semantics/rules.ts',
      'semantics-imports-only-schemas: semantics/rules.ts -> runtime/loop.ts',
    ]);
  });
});
