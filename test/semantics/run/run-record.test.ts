import { describe, expect, test } from 'vitest';
import {
  hasFinished,
  hasStarted,
  retainedRuns,
  markOf,
  marksText,
  newRun,
  readMarks,
  withNodes,
} from '../../../semantics/run/run-record.ts';

describe('the record of a run', () => {
  test('a node is known by its name, with ten digits', () => {
    expect([markOf('node-1'), markOf('node-2')]).toEqual(['35971be6e9', '1779f59f4d']);
  });

  test('a node that has finished was started', () => {
    const record = withNodes(newRun('h1:a'), { started: ['a'], finished: ['b'] });
    expect(['a', 'b', 'c'].map((node) => hasStarted(record, node))).toEqual([true, true, false]);
    expect(['a', 'b', 'c'].map((node) => hasFinished(record, node))).toEqual([false, true, false]);
  });

  test('it only grows, and is the same object where nothing is new', () => {
    const record = withNodes(newRun('h1:a'), { started: ['a'], finished: ['b'] });
    expect(withNodes(record, { started: ['a', 'b'], finished: ['b'] })).toBe(record);
    const later = withNodes(record, { finished: ['a'] });
    expect([later.started.size, later.finished.size, record.finished.size]).toEqual([2, 2, 1]);
  });

  test('its text is read back', () => {
    const { started } = withNodes(newRun('h1:a'), { started: ['b', 'a', 'c'] });
    expect(marksText(started)).toHaveLength(30);
    expect(readMarks(marksText(started))).toEqual(started);
    expect(readMarks('')).toEqual(new Set());
  });

  test.each(['1', '012345678g', '012345678', 'ffffffffff0000000000', '00000000000000000000', '012345678A'])(
    'the text %s is refused',
    (text) => {
      expect(readMarks(text)).toBeUndefined();
    },
  );

  test('ten runs are kept, and those that a plan names', () => {
    const runs = Array.from({ length: 13 }, (_, n) => newRun(`h1:${n}`));
    const kept = retainedRuns(runs, new Set(['h1:11', 'h1:2']));
    expect(kept.map(({ hash }) => hash)).toEqual([...runs.slice(0, 10).map(({ hash }) => hash), 'h1:11']);
  });
});
