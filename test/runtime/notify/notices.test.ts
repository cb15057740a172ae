import { createVirtualClock, type VirtualClock } from 'kruise-sandbox/clock';
import { expect, test } from 'vitest';
import type { GetAnswer } from '../../../runtime/check/get.ts';
import { createNotices, type NoticeOptions, type Notices } from '../../../runtime/notify/notices.ts';
import { deliveryAbout, START } from './delivery.ts';

interface Receiver {
  clock: VirtualClock;
  notices: Notices;
  /** The requests: seconds since the start, and the name of the target. */
  asked: string[];
  /** Outcomes with their problem. */
  outcomes: string[];
  delivered: string[];
  /** Answers a request that was left open, by its number from 0. */
  answer(at: number, answer: GetAnswer): void;
  canceled(): number;
}

/** Notices to a receiver that answers as told, and leaves a request open where it is told nothing. */
function receiver(
  answerTo: (request: number) => GetAnswer | undefined,
  rest: Partial<Pick<NoticeOptions, 'webhook' | 'readSecret'>> = {},
): Receiver {
  const clock = createVirtualClock(START);
  const [asked, outcomes, delivered]: [string[], string[], string[]] = [[], [], []];
  const open: ((answer: GetAnswer) => void)[] = [];
  let canceled = 0;
  const notices = createNotices({
    webhook: { url: 'http://chat/', format: 'Event' },
    readSecret: undefined,
    clock,
    post: async (_url, { content, signal }) => {
      const { target } = JSON.parse(content) as { target: { name: string } };
      asked.push(`${(clock.now() - START) / 1000} ${target.name}`);
      signal.addEventListener('abort', () => (canceled += 1));
      const answer = answerTo(asked.length - 1);
      return answer ?? new Promise((resolve) => (open[asked.length - 1] = resolve));
    },
    onDelivered: ({ name }) => delivered.push(name),
    onOutcome: (_key, event, outcome, problem) =>
      outcomes.push([event, outcome, ...(problem === undefined ? [] : [problem])].join(' ')),
    ...rest,
  });
  const answer = (at: number, got: GetAnswer): void => open[at]?.(got);
  return { clock, notices, asked, outcomes, delivered, answer, canceled: () => canceled };
}

const ok = (): GetAnswer => ({ status: 204, body: '' });
const broken = (): GetAnswer => ({ status: 500, body: '' });

function want({ notices }: Receiver, name = 'web', mark?: string): boolean {
  const delivery = deliveryAbout(name);
  return notices.want(delivery.key, delivery, mark);
}

test('what is wanted is sent once, however often it is wanted', async () => {
  const to = receiver(ok);
  expect(want(to)).toBe(false);
  expect(want(to)).toBe(false);
  await to.clock.advance(0);
  expect(to.delivered).toEqual(['web']);
  expect(want(to)).toBe(true);
  await to.clock.advance(3_600_000);
  expect(to.asked).toEqual(['0 web']);
  expect(to.outcomes).toEqual(['AwaitingApproval delivered']);
  expect(to.notices.waiting).toBe(0);
});

test('what the record has was sent by an earlier process', async () => {
  const to = receiver(ok);
  expect(want(to, 'web', deliveryAbout('web').mark)).toBe(false);
  expect(want(to, 'api', 'AwaitingApproval 0')).toBe(false);
  await to.clock.advance(60_000);
  expect(to.asked).toEqual(['0 api']);
});

test('a receiver that answers 500 is asked ten times within half an hour, then is given up, and asked once an hour', async () => {
  const to = receiver(broken);
  want(to);
  await to.clock.advance(3 * 3_600_000);
  expect(to.asked.map((each) => each.split(' ')[0])).toEqual([
    '0',
    '5',
    '15',
    '35',
    '75',
    '155',
    '315',
    '615',
    '915',
    '1215',
    '4815',
    '8415',
  ]);
  const outcomes = to.outcomes.filter((each) => each.includes('gaveUp'));
  expect(outcomes).toEqual(['AwaitingApproval gaveUp it answered 500']);
  expect(to.outcomes.indexOf(outcomes[0] ?? '')).toBe(10);
  expect(want(to)).toBe(false);
  expect(to.notices.waiting).toBe(0);
});

test('what was given up is delivered within an hour after the receiver is there again, and no more where it is wanted no more', async () => {
  let isUp = false;
  const to = receiver(() => (isUp ? ok() : broken()));
  want(to, 'web');
  want(to, 'api');
  await to.clock.advance(10 * 3_600_000);
  const { length } = to.asked;
  to.notices.want(deliveryAbout('api').key, undefined, undefined);
  isUp = true;
  await to.clock.advance(3_600_000);
  expect(to.delivered).toEqual(['web']);
  expect(to.asked).toHaveLength(length + 1);
  expect(want(to, 'web')).toBe(true);
});

test('a redirect is not followed and counts as failed', async () => {
  const to = receiver((request) => (request === 0 ? { status: 307, body: '' } : ok()));
  want(to);
  await to.clock.advance(60_000);
  expect(to.outcomes).toEqual([
    'AwaitingApproval failed it answered with a redirect (307), and redirects are not followed',
    'AwaitingApproval delivered',
  ]);
});

test('a receiver that never answers holds up four requests, and the others go on when one ends', async () => {
  const to = receiver(() => undefined);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) want(to, name);
  await to.clock.advance(1_000);
  expect(to.asked).toEqual(['0 a', '0 b', '0 c', '0 d']);
  expect(to.notices.waiting).toBe(6);
  to.answer(1, { error: 'no complete response within 5 s' });
  await to.clock.advance(1_000);
  expect(to.asked.at(-1)).toBe('1 e');
});

test('what is wanted no more is canceled, and its answer counts for nothing', async () => {
  const to = receiver(() => undefined);
  want(to);
  await to.clock.advance(0);
  to.notices.want(deliveryAbout('web').key, undefined, undefined);
  expect(to.canceled()).toBe(1);
  to.answer(0, broken());
  await to.clock.advance(3_600_000);
  expect([to.asked.length, to.outcomes, to.notices.waiting]).toEqual([1, [], 0]);
});

test('after the stop nothing is sent', async () => {
  const to = receiver(broken);
  want(to);
  await to.clock.advance(0);
  to.notices.stop();
  expect(want(to)).toBe(false);
  await to.clock.advance(3_600_000);
  expect(to.asked).toHaveLength(1);
});

test('only the chosen events are sent', async () => {
  const to = receiver(ok, { webhook: { url: 'http://chat/', events: ['Halted'] } });
  want(to);
  const halted = deliveryAbout('api', { event: 'Halted', mark: 'Halted 1' });
  to.notices.want(halted.key, halted, undefined);
  await to.clock.advance(0);
  expect(to.asked).toEqual(['0 api']);
});

test('a secret that cannot be read is tried again', async () => {
  let reads = 0;
  const to = receiver(ok, {
    readSecret() {
      reads += 1;
      if (reads === 1) throw new Error('the secret /key cannot be used: it does not exist');
      return new TextEncoder().encode('a key of sixteen bytes');
    },
  });
  want(to);
  await to.clock.advance(10_000);
  expect(to.outcomes).toEqual([
    'AwaitingApproval failed the secret /key cannot be used: it does not exist',
    'AwaitingApproval delivered',
  ]);
});
