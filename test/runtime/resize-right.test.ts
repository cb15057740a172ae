import { describe, expect, test } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox';
import { createResizeRight } from '../../runtime/resize-right.ts';
import type { PatchAction } from '../../semantics/decision.ts';

const MINUTE = 60_000;

const resize: PatchAction = {
  do: 'patch',
  kind: 'Pod',
  verb: 'resize',
  name: 'web-0',
  subresource: 'resize',
  body: {},
  reason: 'its update is recorded',
};

/** A right whose answers come one after the other; the last one stays. `undefined`: no answer; an error: it fails. */
function rightWith(...answers: (boolean | undefined | Error)[]) {
  const clock = createVirtualClock(0);
  const asked: number[] = [];
  const changes: string[] = [];
  const right = createResizeRight(
    clock,
    async () => {
      asked.push(clock.now() / MINUTE);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return Promise.resolve(answer);
    },
    (granted) => changes.push(`${granted} ${clock.now() / MINUTE}`),
  );
  return { clock, right, asked, changes };
}

describe('whether containers can be resized', () => {
  test('is asked again every five minutes until they can', async () => {
    const { clock, right, asked, changes } = rightWith(false, new Error('no answer'), undefined, true);
    right.found(false);
    await clock.advance(60 * MINUTE);
    expect([asked, changes, right.granted]).toEqual([[5, 10, 15, 20], ['true 20'], true]);
  });

  test('is not asked again as long as they can', async () => {
    const { clock, right, asked } = rightWith(false);
    right.found(true);
    await clock.advance(60 * MINUTE);
    expect(asked).toEqual([]);
  });

  test('is asked once a resize is forbidden, and again until they can', async () => {
    const { clock, right, asked, changes } = rightWith(false, true);
    right.found(true);
    await clock.advance(MINUTE);
    right.refused(resize, 'Forbidden');
    await clock.advance(10 * MINUTE);
    expect([asked, changes]).toEqual([
      [1, 6],
      ['false 1', 'true 6'],
    ]);
  });

  test('stays as it was where the server gives no answer: a quota forbids a resize, too', async () => {
    const { clock, right, asked, changes } = rightWith(true, undefined, new Error('no answer'));
    right.found(true);
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(MINUTE);
      // Many at once are one question.
      for (let pod = 0; pod < 10; pod++) right.refused(resize, 'Forbidden');
    }
    await clock.settle();
    expect([asked, changes, right.granted]).toEqual([[1, 2, 3, 4, 5], [], true]);
  });

  test.each<[string, PatchAction, string]>([
    ['another reason', resize, 'Invalid'],
    ['another write', { ...resize, subresource: 'status' }, 'Forbidden'],
  ])('is not asked for %s', async (_, action, reason) => {
    const { clock, right, asked } = rightWith(false);
    right.found(true);
    await clock.advance(MINUTE);
    right.refused(action, reason);
    await clock.advance(MINUTE);
    expect(asked).toEqual([]);
  });

  test('is not asked after the end', async () => {
    const { clock, right, asked } = rightWith(true);
    right.found(false);
    right.stop();
    await clock.advance(60 * MINUTE);
    expect(asked).toEqual([]);
  });
});
