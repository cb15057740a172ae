import { expect, test } from 'vitest';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { drive, type Drive, sendCommand } from './drive.ts';
import { accepted, MINUTE, NEW, NEWER, OLD, planObject, pods, spec, view } from './rollout.ts';

const UNKNOWN = 'h1:cccc';
const context = { ...emptyContext, predecessor: () => 'comes after db' };
const later = spec({
  digest: 'h1:bbbb',
  to: { hash: NEWER, bound: {} },
  from: [{ hash: OLD, mode: 'InPlace' }],
});
const waits = (): Drive => drive({ plans: [planObject(spec())], context });
const ended = (): Drive =>
  drive({
    plans: [planObject(later)],
    memory: [accepted(spec(), { phase: 'Aborted', cause: 'person', goal: OLD })],
    view: view({ liveHash: NEWER }),
    context,
  });
const over = (): Drive =>
  drive({
    plans: [planObject(spec())],
    memory: [accepted(spec(), { phase: 'Succeeded', step: 3 })],
    view: view({ stable: NEW, pods: pods(NEW, 5) }),
  });
const at = (step: number) => (): Drive =>
  drive({ plans: [planObject(spec())], memory: [accepted(spec(), { step })] });

test.each<
  [string, () => Drive, Parameters<typeof sendCommand>[1], Parameters<typeof sendCommand>[2], string]
>([
  [
    'a pause of an unknown plan, while another waits',
    waits,
    'Pause',
    { digest: UNKNOWN },
    'it is for plan h1:cccc, and the plan here is h1:aaaa; for the plan here: kruise pause CloneSet/web -n shop --digest h1:aaaa',
  ],
  [
    'an approval of one, with a step that the other has, too',
    waits,
    'Approve',
    { digest: UNKNOWN, step: 'ok' },
    'for the plan here: kruise approve CloneSet/web -n shop --step ok --digest h1:aaaa',
  ],
  [
    'an approval of one, with a step that the other has not',
    waits,
    'Approve',
    { digest: UNKNOWN, step: 'look' },
    'for the plan here: kruise approve CloneSet/web -n shop --step ok --digest h1:aaaa',
  ],
  [
    'if the active plan has ended, the one that waits is named',
    ended,
    'Pause',
    { digest: UNKNOWN },
    'kruise pause CloneSet/web -n shop --digest h1:bbbb',
  ],
  [
    'if one has ended and none waits',
    over,
    'Pause',
    { digest: UNKNOWN },
    'the plan here is h1:aaaa, which has ended. Sync the other plan, and send the command again',
  ],
  [
    'no plan at all',
    () => drive(),
    'Abort',
    {},
    'no plan is active, and none waits. Commit the plan, wait for the sync, and send the command again',
  ],
  [
    'an approval of a step that is no approval',
    at(0),
    'Approve',
    { digest: 'h1:aaaa', step: 'canary' },
    'the plan has no step canary that waits for an approval; its approvals are ok',
  ],
  [
    'a late approval',
    at(2),
    'Approve',
    { digest: 'h1:aaaa', step: 'ok' },
    'step ok is done already; no further approval is needed',
  ],
  ['an approval of nothing', at(0), 'Approve', {}, 'its approvals are ok, and kruise approve fills in both'],
  ['BreakGlass without an expiry', at(0), 'BreakGlass', {}, 'send it again with --expires'],
  [
    'a command that has expired',
    at(0),
    'Pause',
    { expires: '2026-01-01T11:00:00Z' },
    'it expired at 2026-01-01T11:00:00Z; send it again if you still want it',
  ],
])('%s: the answer says what to do', (_what, make, action, parts, sentence) => {
  const self = make();
  sendCommand(self, action, parts);
  self.wait(MINUTE);
  expect(self.commands.at(-1)?.result).toMatch(/^(Refused|Expired)$/);
  expect(self.answers).toEqual([expect.stringContaining(sentence)]);
});
