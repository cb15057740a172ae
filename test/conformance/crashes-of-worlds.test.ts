import { vi } from 'vitest';
import { describeCrashes } from './crashes.ts';
import { drawnWorlds } from './drawn.ts';
import { hookWorldsOf } from './hooked.ts';
import { resizeWorldsOf } from './resized.ts';
import { orderedWorldsOf } from './ordered.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

const drawn = drawnWorlds('crashes of worlds', (subject) => [
  ...subject.worlds,
  ...hookWorldsOf(subject),
  ...resizeWorldsOf(subject),
  ...orderedWorldsOf(subject),
]);
for (const each of drawn) describeCrashes(each);
