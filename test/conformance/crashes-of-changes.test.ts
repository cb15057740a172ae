import { vi } from 'vitest';
import { describeCrashes } from './crashes.ts';
import { drawnWorlds } from './drawn.ts';
import { historiesOf } from './histories.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const drawn = drawnWorlds('crashes of changes', (subject) =>
  subject.changes.flatMap((change) => historiesOf(subject, change)),
);
for (const each of drawn) describeCrashes(each);
