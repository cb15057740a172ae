import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { readWaves, wavesText } from '../../../semantics/children/waves.ts';

const waves = [
  { id: 'first', run: { to: 1 } },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'errors', check: { use: 'nodes', for: '5m' } },
  { id: 'rest', run: { to: '100%' } },
] as Step[];

describe('waves as they are stored', () => {
  test('are read as they were written', () => {
    expect(readWaves(wavesText(waves))).toEqual(waves);
  });

  test.each([
    undefined,
    '',
    '[]',
    '{}',
    '[1]',
    '[{"run":{"to":1}}]',
    '[{"id":"a","approve":{}}]',
    '[{"id":"a","update":{"to":1}}]',
    '[ {"id":"a","run":{"to":1}} ]',
  ])('%j are none', (text) => {
    expect(readWaves(text)).toBeUndefined();
  });
});
