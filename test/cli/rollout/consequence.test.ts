import { afterEach, expect, test } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import { createVirtualClock, createWorld, type World } from 'kruise-sandbox';
import type { RolloutCommand, RolloutCommandSpec } from '../../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { memoryHost } from '../world/memory-host.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const DIGEST = `h1:${'a'.repeat(32)}`;
const UNTIL = ['--expires', '2026-01-01T18:00:00Z'];
const CONSEQUENCE =
  'CloneSet/web in shop: 9 pods are updated now, and its plans are suspended until 2026-01-01T18:00:00Z';
const GLASS = ['break-glass', 'CloneSet/web', '-n', 'shop'];
const RESUME = ['resume', 'CloneSet/web', '-n', 'shop', '--digest', DIGEST];

let world: World | undefined;
afterEach(() => world?.stop());

interface Setup {
  spec?: object;
  status?: object;
  plan?: RolloutPlanStatus;
  /** The answer of the user; undefined: there is no terminal. */
  answer?: boolean;
}

/** Runs a command in a cluster with ten pods, one of which has the change. */
async function outputOf(args: string[], { spec = {}, status = {}, plan, answer }: Setup = {}) {
  const clock = createVirtualClock(NOON);
  world = createWorld({ clock, namespaces: ['shop'] });
  const cluster = world.cluster('user');
  await cluster.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 10, ...spec }));
  const counts = { replicas: 10, readyReplicas: 10, availableReplicas: 10, updatedReadyReplicas: 1 };
  const body = {
    status: { observedGeneration: 1, ...counts, updatedReplicas: 1, expectedUpdatedReplicas: 10, ...status },
  };
  const at = { namespace: 'shop', name: 'web' };
  await cluster.patch(resources.CloneSet, at, { type: 'merge', body }, { subresource: 'status' });
  if (plan !== undefined) {
    const object = {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutPlan',
      metadata: { name: 'cloneset-web', namespace: 'shop' },
      spec: {
        ...{ planFormat: 1, semantics: 'v1', digest: DIGEST },
        target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
        from: [{ hash: `h1:${'1'.repeat(32)}`, mode: 'InPlace' }],
        to: { hash: `h1:${'2'.repeat(32)}`, bound: { partition: 0 } },
        steps: [
          { id: 'batch-1', update: { to: '10%' } },
          { id: 'batch-2', update: { to: '100%' } },
        ],
      },
    };
    await cluster.create(resources.RolloutPlan, object);
    const own = { namespace: 'shop', name: 'cloneset-web' };
    const patch = {
      type: 'merge' as const,
      body: { status: { digest: DIGEST, ...plan } as unknown as JsonObject },
    };
    await cluster.patch(resources.RolloutPlan, own, patch, { subresource: 'status' });
  }
  const questions: string[] = [];
  const memory = memoryHost({}, { cluster });
  const host = Object.assign(memory, {
    clock,
    ...(answer === undefined
      ? {}
      : {
          confirm: (question: string) => {
            questions.push(question);
            return Promise.resolve(answer);
          },
        }),
  });
  const running = main(host, [...args, ...(args.includes('-o') ? [] : ['--no-wait'])]);
  await clock.settle();
  const code = await running;
  const { items } = await cluster.list(resources.RolloutCommand, { namespace: 'shop' });
  const sent = items.map((object) => (object as unknown as RolloutCommand).spec);
  return { code, out: host.out, err: host.err, asked: questions, sent };
}

const actions = (sent: readonly RolloutCommandSpec[]): string[] => sent.map(({ action }) => action);

test('without a terminal break-glass shows its effect, and sends nothing without --yes', async () => {
  const refused = await outputOf([...GLASS, ...UNTIL]);
  expect(refused).toMatchObject({ code: 1, out: '', sent: [] });
  expect(refused.err).toContain(`kruise break-glass: ${CONSEQUENCE}; add --yes to confirm\n`);
  const { code, err, sent } = await outputOf([...GLASS, ...UNTIL, '--yes']);
  expect({ code, sent: actions(sent) }).toEqual({ code: 0, sent: ['BreakGlass'] });
  expect(err).toContain(`kruise break-glass: ${CONSEQUENCE}\n`);
});

test('at a terminal it asks for confirmation', async () => {
  const yes = await outputOf([...GLASS, ...UNTIL], { answer: true });
  expect(yes).toMatchObject({ code: 0, asked: [`${CONSEQUENCE}. Continue?`] });
  expect(actions(yes.sent)).toEqual(['BreakGlass']);
  const no = await outputOf([...GLASS, ...UNTIL], { answer: false });
  expect(no).toMatchObject({ code: 1, out: '', sent: [] });
  expect(no.err).toContain('kruise break-glass: nothing was sent; the rollout stays as it is\n');
  expect((await outputOf([...GLASS, ...UNTIL, '-y'], { answer: false })).asked).toEqual([]);
});

test('an object that is printed needs no confirmation', async () => {
  const {
    code,
    asked: questions,
    err,
  } = await outputOf([...GLASS, ...UNTIL, '-o', 'yaml'], { answer: false });
  expect({ code, asked: questions }).toEqual({ code: 0, asked: [] });
  expect(err).not.toContain('updated');
});

test.each<[string, Setup, string]>([
  ['a partition', { status: { expectedUpdatedReplicas: 2 } }, '1 pod is updated now'],
  ['nothing left', { status: { updatedReplicas: 10 } }, 'no pod is updated now'],
  [
    'OnDelete',
    { spec: { updateStrategy: { type: 'OnDelete' } } },
    '9 pods are updated when users delete them',
  ],
  [
    'its own paused',
    { spec: { updateStrategy: { paused: true } } },
    '9 pods are updated once paused is false in its manifest',
  ],
  [
    'a manifest that no runtime has observed',
    { status: { observedGeneration: 0 } },
    'the number of pods to update is unknown',
  ],
])('effect: %s', async (_what, setup, text) => {
  const { err } = await outputOf([...GLASS, ...UNTIL], setup);
  expect(err).toContain(`CloneSet/web in shop: ${text}, and its plans`);
});

test.each(['Aborted', 'Reverted'] as const)('resume of a rollout that is %s restarts it', async (phase) => {
  const plan: RolloutPlanStatus = { phase, step: 'batch-2', steps: '2/2' };
  const text = `CloneSet/web in shop: its rollout is ${phase} and restarts at step 1 of 2, batch-1`;
  const { code, err, sent } = await outputOf(RESUME, { plan });
  expect({ code, sent }).toEqual({ code: 1, sent: [] });
  expect(err).toContain(`kruise resume: ${text}; add --yes to confirm\n`);
  expect(actions((await outputOf([...RESUME, '--yes'], { plan })).sent)).toEqual(['Resume']);
});

test.each<RolloutPlanStatus>([
  { phase: 'Running', step: 'batch-1', pausedBy: 'mona' },
  { phase: 'Halted', step: 'batch-2' },
  { phase: 'Aborted', digest: `h1:${'b'.repeat(32)}` },
])('resume of %j is sent without confirmation', async (plan) => {
  const { code, sent } = await outputOf(RESUME, { plan });
  expect({ code, sent: actions(sent) }).toEqual({ code: 0, sent: ['Resume'] });
});

test.each([
  ['30m', '2026-01-01T12:30:00Z'],
  ['2h', '2026-01-01T14:00:00Z'],
  ['1h30m', '2026-01-01T13:30:00Z'],
  ['2026-01-01T18:00:00+01:00', '2026-01-01T18:00:00+01:00'],
])('--expires %s', async (text, expires) => {
  const sent = await outputOf([...GLASS, '--expires', text, '--yes']);
  expect(sent.sent[0]?.expires).toBe(expires);
  const printed = await outputOf([...GLASS, '--expires', text, '-o', 'json']);
  expect((JSON.parse(printed.out) as RolloutCommand).spec.expires).toBe(expires);
});

test.each(['0s', '2d', '-1h', '2 h'])('--expires %s is neither a time nor a duration', async (text) => {
  const { code, err } = await outputOf([...GLASS, `--expires=${text}`, '--yes']);
  expect(code).toBe(1);
  expect(err).toContain(
    `--expires cannot be '${text}'; write a duration such as 2h or 30m, or a date and time such as 2026-12-01T18:00:00Z`,
  );
});
