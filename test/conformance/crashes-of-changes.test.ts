import { vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { describeCrashes } from './crashes.ts';
import { historiesOf } from './histories.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

for (const subject of subjects) {
  const histories = subject.changes.flatMap((change) => historiesOf(subject, change));
  describeCrashes(subject, sampled(subject.kind.id.kind, histories, 3));
}
