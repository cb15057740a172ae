import { vi } from 'vitest';
import { describeCrashes } from './crashes.ts';
import { drawnWorlds } from './drawn.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

const drawn = drawnWorlds('crashes of worlds', ({ worlds }) => worlds);
for (const each of drawn) describeCrashes(each);
