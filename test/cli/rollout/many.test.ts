import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type World } from 'kruise-sandbox';
import { main } from '../../../cli/dispatch.ts';
import { toYaml } from '../../../compiler/render/yaml.ts';
import type { RolloutCommand } from '../../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { memoryHost } from '../world/memory-host.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

let world: World | undefined;
afterEach(() => world?.stop());

/** A rollout by its target: where it stands, and how it is chosen. */
interface Rollout {
  name: string;
  namespace?: string;
  phase?: string;
  step?: string;
  group?: string;
  labels?: Record<string, string>;
}

const ROLLOUTS: readonly Rollout[] = [
  { name: 'api', labels: { team: 'pay' }, group: 'wave-1' },
  { name: 'web', labels: { team: 'pay' } },
  { name: 'job', phase: 'Running', step: 'batch-1', group: 'wave-1' },
  { name: 'db', namespace: 'data', labels: { team: 'pay' }, group: 'wave-2' },
];

const digestOf = (name: string): string => `h1:${name.charCodeAt(0).toString(16).repeat(16)}`;

function planOf({ name, namespace = 'shop', group }: Rollout): KubeObject {
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: `cloneset-${name}`, namespace },
    spec: {
      ...{ format: '1', semantics: '1', digest: digestOf(name) },
      target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name },
      from: [{ hash: `h1:${'1'.repeat(32)}`, mode: 'InPlace' }],
      to: { hash: `h1:${'2'.repeat(32)}`, bound: { partition: 0 } },
      ...(group === undefined ? {} : { group }),
      steps: [
        { id: 'batch-1', update: { to: 1 } },
        { id: 'approve-1', approve: {} },
        { id: 'batch-2', update: { to: '100%', window: { maxUnavailable: 2 } } },
        { id: 'approve-2', approve: {} },
      ],
    },
  };
}

interface Run {
  /** What the user answers; undefined: there is no terminal. */
  confirms?: boolean;
  /** What the runtime answers to the command for a target; its creation is refused. */
  refuses?: string;
  forbids?: string;
  rollouts?: readonly Rollout[];
}

/** Runs a command in a cluster with these rollouts, and a runtime that answers at once. */
async function run(args: string[], { confirms, refuses, forbids, rollouts = ROLLOUTS }: Run = {}) {
  const clock = createVirtualClock(NOON);
  world = createWorld({ clock, namespaces: ['shop', 'data'] });
  const own = world.cluster('user');
  for (const each of rollouts) {
    const { name, namespace = 'shop', phase = 'AwaitingApproval', step = 'approve-1', labels = {} } = each;
    const target = cloneSet(name, `${name}:1`, { replicas: 3 });
    await own.create(resources.CloneSet, { ...target, metadata: { ...target.metadata, namespace, labels } });
    await own.create(resources.RolloutPlan, planOf(each));
    const body = { status: { phase, step, digest: digestOf(name) } };
    const at = { namespace, name: `cloneset-${name}` };
    await own.patch(resources.RolloutPlan, at, { type: 'merge', body }, { subresource: 'status' });
  }
  const commands = new Map<string, RolloutCommand>();
  const cluster: Cluster = {
    ...own,
    async create(resource, object, options) {
      const { spec } = object as unknown as RolloutCommand;
      if (resource === resources.RolloutCommand && spec.target.name === forbids)
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'rolloutcommands is forbidden' });
      const created = await own.create(resource, object, options);
      if (resource === resources.RolloutCommand)
        commands.set(created.metadata.name, created as unknown as RolloutCommand);
      return created;
    },
    get(resource, at) {
      const command = resource === resources.RolloutCommand ? commands.get(at.name) : undefined;
      if (command === undefined) return own.get(resource, at);
      const isRefused = command.spec.target.name === refuses;
      const status = {
        result: isRefused ? 'Refused' : 'Accepted',
        message: isRefused ? 'it is over' : 'fine',
      };
      return Promise.resolve({ ...command, status } as unknown as KubeObject);
    },
  };
  const questions: string[] = [];
  const host = Object.assign(memoryHost({}, { cluster }), {
    clock,
    ...(confirms === undefined
      ? {}
      : {
          confirm(question: string) {
            questions.push(question);
            return Promise.resolve(confirms);
          },
        }),
  });
  const running = main(host, args);
  await clock.settle();
  const code = await running;
  const sent = [...commands.values()].map(
    ({ metadata: { namespace }, spec: { target, step } }) => `${namespace}/${target.name} ${step}`,
  );
  return { code, out: host.out, err: host.err, questions, sent: sent.sort() };
}

const accepted = (name: string, namespace = 'shop'): string =>
  `CloneSet/${name} in ${namespace}: accepted, fine\n`;
const effect = (name: string, namespace = 'shop'): string =>
  `  CloneSet/${name} in ${namespace}: approves approve-1; batch-2 follows: update to 100%, at most 2 unavailable\n`;

describe('several are approved', () => {
  test.each([
    [
      ['api', 'CloneSet/web', '-n', 'shop'],
      ['shop/api', 'shop/web'],
    ],
    [
      ['shop/CloneSet/api', 'data/CloneSet/db'],
      ['shop/api', 'data/db'],
    ],
    [
      ['-n', 'shop', '-l', 'team=pay'],
      ['shop/api', 'shop/web'],
    ],
    [['-A'], ['data/db', 'shop/api', 'shop/web']],
    [
      ['-A', '-l', 'team in (pay, none)'],
      ['data/db', 'shop/api', 'shop/web'],
    ],
    [['-n', 'shop', '--group', 'wave-1'], ['shop/api']],
    [['-A', '--group', 'wave-2'], ['data/db']],
    [['-A', '--step', 'approve-1', '--group', 'wave-2'], ['data/db']],
  ])('%j', async (args, expected) => {
    const { code, out, err, sent } = await run(['approve', ...args, '--yes']);
    const named = expected.map((each) => each.split('/').toReversed() as [string, string]);
    expect({ code, err }).toEqual({ code: 0, err: named.map(([name, at]) => effect(name, at)).join('') });
    expect(out).toBe(named.map(([name, at]) => accepted(name, at)).join(''));
    expect(sent).toEqual(expected.map((each) => `${each} approve-1`).sort());
  });

  test('once each, however often they are named', async () => {
    const { code, sent } = await run([
      'approve',
      'web',
      'CloneSet/web',
      'shop/clone/web',
      '-n',
      'shop',
      '--yes',
    ]);
    expect({ code, sent }).toEqual({ code: 0, sent: ['shop/web approve-1'] });
  });
});

test('what follows is shown before; without a terminal nothing is sent unless --yes is given', async () => {
  const { code, out, err, sent } = await run(['approve', '-A', '-l', 'team=pay']);
  expect({ code, out, sent }).toEqual({ code: 1, out: '', sent: [] });
  expect(err).toBe(
    `${effect('db', 'data')}${effect('api')}${effect('web')}kruise approve: this approves 3 rollouts, and nothing was sent; add --yes to confirm\n`,
  );
  const no = await run(['approve', 'api', 'web', '-n', 'shop'], { confirms: false });
  expect(no).toMatchObject({ code: 1, out: '', sent: [], questions: ['Approve 2 rollouts?'] });
  expect(no.err).toContain('nothing was sent; the rollouts stay as they are');
  const yes = await run(['approve', 'api', 'web', '-n', 'shop'], { confirms: true });
  expect(yes).toMatchObject({ code: 0, questions: ['Approve 2 rollouts?'] });
  expect(yes.sent).toHaveLength(2);
});

test('what each of many does is shown, though nobody is asked', async () => {
  const rollouts = Array.from({ length: 120 }, (_, n) => ({ name: `web-${n}` }));
  const { code, err } = await run(['approve', '-A', '--yes'], { rollouts });
  expect({ code, shown: err.split('\n').sort() }).toEqual({
    code: 0,
    shown: ['', ...rollouts.map(({ name }) => effect(name).trimEnd())].sort(),
  });
});

test('one that fails does not stop the others: each is reported, and the exit code is 1', async () => {
  const three = ['approve', 'api', 'web', 'nope', '-n', 'shop', '--yes'];
  const missing = await run(three);
  expect(missing).toMatchObject({ code: 1, out: accepted('api') + accepted('web') });
  expect(missing.err).toContain('kruise approve: nope: there is no nope in namespace shop; ');
  expect(missing.err).toContain('kruise approve: 1 of 3 was not approved\n');

  const refused = await run(['approve', '-A', '--yes'], { refuses: 'api' });
  expect(refused).toMatchObject({ code: 1, out: accepted('db', 'data') + accepted('web') });
  expect(refused.err).toContain(
    'kruise approve: CloneSet/api in shop: refused, it is over; kruise status CloneSet/api -n shop shows its state\n',
  );

  const forbidden = await run(['approve', '-A', '--yes'], { forbids: 'db' });
  expect(forbidden).toMatchObject({ code: 1, out: accepted('api') + accepted('web') });
  expect(forbidden.err).toContain('kruise approve: CloneSet/db in data: the cluster refused it: ');
  expect(forbidden.sent).toEqual(['shop/api approve-1', 'shop/web approve-1']);
});

test.each([
  [['-l', 'team=nobody'], 1, 'no target in namespace shop matches team=nobody'],
  [['--group', 'wave1'], 1, 'has a plan in group wave1; did you mean wave-1?'],
  [['-l', 'team=pay', '--step', 'approve-2'], 0, 'none of 2 rollouts waits for approval approve-2'],
  [['-l', 'team=pay', 'api'], 1, '--selector chooses targets, and some are named; omit one of the two'],
  [['-l', 'team=pay', '--digest', digestOf('api')], 1, '--digest is that of one plan'],
  [['-l', 'team=pay', '-o', 'yaml'], 1, '-o asks no cluster'],
  [['-l', '=,'], 1, 'kruise approve: '],
])('%j selects nothing: exit code %i', async (args, code, expected) => {
  const found = await run(['approve', '-n', 'shop', ...args, '--yes']);
  expect(found).toMatchObject({ code, out: '', sent: [], err: expect.stringContaining(expected) });
});

test('only those that wait now are selected', async () => {
  const others = ['Pending', 'Running', 'Halted', 'Succeeded', 'Reverting'].map((phase) => ({
    name: phase.toLowerCase(),
    phase,
    step: 'batch-1',
  }));
  const { code, err, sent } = await run(['approve', '-n', 'shop', '-A', '--yes'].toSpliced(1, 2), {
    rollouts: others,
  });
  expect({ code, sent, err }).toEqual({
    code: 0,
    sent: [],
    err: 'kruise approve: none of 5 rollouts waits for an approval\n',
  });
});

describe('kruise status', () => {
  const targets = async (args: string[]): Promise<string[]> =>
    [...(await run(['status', ...args])).out.matchAll(/CloneSet\/(\w+)/g)]
      .map(([, name = '']) => name)
      .filter((name, at, all) => all.indexOf(name) === at);

  test.each([
    [['-A'], ['db', 'api', 'job', 'web']],
    [
      ['-A', '-l', 'team=pay'],
      ['db', 'api', 'web'],
    ],
    [['-n', 'shop', '-l', 'team!=pay'], ['job']],
    [['-A', '--phase', 'Running'], ['job']],
    [
      ['-A', '--phase', 'Running', '--phase', 'AwaitingApproval'],
      ['db', 'api', 'job', 'web'],
    ],
    [['-A', '-l', 'team=pay', '--phase', 'Running'], []],
  ])('%j', async (args, expected) => {
    expect(await targets(args)).toEqual(expected);
  });

  test('says what was looked for where nothing is found, and refuses what cannot be', async () => {
    const { out } = await run(['status', '-n', 'shop', '-l', 'team=pay', '--phase', 'Halted']);
    expect(out).toBe(
      'no target in namespace shop matches team=pay and is in phase Halted; -A shows all namespaces\n',
    );
    expect((await run(['status', '--phase', 'awaitingapproval'])).err).toContain(
      'did you mean AwaitingApproval?',
    );
    expect((await run(['status', 'web', '-l', 'a=b'])).err).toContain('--selector chooses among targets');
  });
});

test('with -o the objects of all that are named are printed, by their committed plans, and what is missing is reported', async () => {
  const files = Object.fromEntries(
    ROLLOUTS.map((each) => {
      const plan = planOf(each) as unknown as RolloutPlan;
      const [gate] = plan.spec.steps.slice(1, 2);
      const spec = {
        ...plan.spec,
        steps: [...plan.spec.steps.slice(0, 1), ...(gate === undefined ? [] : [gate])],
      };
      const sealed = { ...plan, spec: { ...spec, digest: planDigest(spec) } };
      const { namespace = 'shop', name } = each;
      return [`plans/${namespace}/cloneset-${name}/plan.yaml`, toYaml(sealed as unknown as JsonObject)];
    }),
  );
  const print = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const host = memoryHost(files);
    const code = await main(host, ['approve', ...args, '--by', 'mona']);
    return { code, out: host.out, err: host.err };
  };
  const json = await print('api', 'data/CloneSet/db', '-o', 'json');
  expect({ code: json.code, err: json.err }).toEqual({ code: 0, err: '' });
  const { kind, items } = JSON.parse(json.out) as { kind: string; items: RolloutCommand[] };
  expect([kind, items.map(({ spec }) => `${spec.target.name} ${spec.step}`)]).toEqual([
    'List',
    ['api approve-1', 'db approve-1'],
  ]);
  const yaml = await print('api', 'nope', 'web', '-o', 'yaml');
  expect(yaml).toMatchObject({
    code: 1,
    err: expect.stringContaining('kruise approve: nope: no plan in plans is for nope'),
  });
  expect(yaml.out.split('---\n').map((text) => /name: (\w+)\n  action/.exec(text)?.[1])).toEqual([
    'api',
    'web',
  ]);
});
