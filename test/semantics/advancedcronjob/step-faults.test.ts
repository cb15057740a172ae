import { expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { tickStepFaults } from '../../../semantics/advancedcronjob/step-faults.ts';

test.each<[to: number | string, messages: string[]]>([
  [1, []],
  [200, []],
  ['100%', []],
  ['50%', ['step some leads to 50% of the ticks, which have no end. Write a count']],
  [201, ['step some counts 201 ticks. At most 200 are on record']],
])('a step to %s', (to, messages) => {
  const steps = [
    { id: 'some', update: { to } },
    { id: 'soak', soak: { for: '1h' } },
  ] as Step[];
  expect(tickStepFaults(steps).map(({ message }) => message)).toEqual(messages);
});
