import { vi } from 'vitest';
import { sampled } from '../lanes.ts';
import { describeCrashes } from './crashes.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

for (const subject of subjects) describeCrashes(subject, sampled(subject.kind.id.kind, subject.worlds, 2));
