import { vi } from 'vitest';
import { describeCrashes } from './crashes.ts';
import { drawnWorlds } from './drawn.ts';
import { otherWorldsOf } from './worlds.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const drawn = drawnWorlds('crashes of worlds', otherWorldsOf);
for (const each of drawn) describeCrashes(each);
