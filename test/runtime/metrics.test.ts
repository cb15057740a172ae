import { describe, expect, test } from 'vitest';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { createMeters, type Meters } from '../../runtime/report/meters.ts';
import { createRegistry } from '../../runtime/report/registry.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, intercepting } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster } from './stage.ts';
import { cloneSetKey } from './keys.ts';

const definitions = {
  b_total: { type: 'counter', help: 'Back\\slash and\nline.', labels: ['verb', 'kind'] },
  a_seconds: { type: 'histogram', help: 'Times.', labels: ['of'], buckets: [0.5, 2] },
  c: { type: 'gauge', help: 'A gauge.', labels: [] },
  d_total: { type: 'counter', help: 'Not counted yet.', labels: [] },
} as const;

test('the longest wait of a pod with a gate is shown, as long as it waits', () => {
  const clock = createVirtualClock(1_000_000);
  const meters = createMeters({ clock, version: '1' });
  const { onSnapshot } = meters.hooks();
  const key = (name: string) => targetKey({ group: 'apps.kruise.io', kind: 'WorkloadSpread' }, 'shop', name);
  const shown = (): string[] =>
    meters
      .render(undefined)
      .split('\n')
      .filter((line) => line.startsWith('kruise_gated_seconds{'));
  const none = { plan: undefined, held: undefined };
  onSnapshot({ key: key('a'), ...none, gatedSince: 940_000 });
  onSnapshot({ key: key('b'), ...none, gatedSince: 990_000 });
  expect(shown()).toEqual(['kruise_gated_seconds{group="apps.kruise.io",kind="WorkloadSpread"} 60']);
  onSnapshot({ key: key('a'), ...none, gatedSince: undefined });
  onSnapshot({ key: key('b'), ...none });
  expect(shown()).toEqual([]);
});

describe('the registry', () => {
  test('renders the text format of Prometheus, by name and labels', () => {
    const registry = createRegistry(definitions);
    registry.add('b_total', ['z', 'Pod']);
    registry.add('b_total', ['a"b\\c\nd', 'Pod'], 3);
    for (const value of [0.5, 0.6, 9]) registry.observe('a_seconds', ['x'], value);
    registry.set('c', [], 1.5);
    expect(registry.render()).toBe(
      [
        '# HELP a_seconds Times.',
        '# TYPE a_seconds histogram',
        'a_seconds_bucket{of="x",le="0.5"} 1',
        'a_seconds_bucket{of="x",le="2"} 2',
        'a_seconds_bucket{of="x",le="+Inf"} 3',
        'a_seconds_sum{of="x"} 10.1',
        'a_seconds_count{of="x"} 3',
        '# HELP b_total Back\\\\slash and\\nline.',
        '# TYPE b_total counter',
        'b_total{verb="a\\"b\\\\c\\nd",kind="Pod"} 3',
        'b_total{verb="z",kind="Pod"} 1',
        '# HELP c A gauge.',
        '# TYPE c gauge',
        'c 1.5',
        '# HELP d_total Not counted yet.',
        '# TYPE d_total counter',
        'd_total 0',
        '',
      ].join('\n'),
    );
  });

  test('a flood of label values ends in one series', () => {
    const registry = createRegistry(definitions);
    for (let n = 0; n < 1_500; n += 1) registry.add('b_total', [`v${n}`, 'Pod']);
    const lines = registry
      .render()
      .split('\n')
      .filter((line) => line.startsWith('b_total{'));
    expect(lines).toHaveLength(1_001);
    expect(lines).toContain('b_total{verb="other",kind="other"} 500');
  });

  test('keeps series apart whose values hold what separates values elsewhere', () => {
    const registry = createRegistry(definitions);
    registry.add('b_total', ['1,kind:2', '3']);
    registry.add('b_total', ['1', '2,kind:3']);
    registry.add('b_total', ['1,2', '3']);
    registry.add('b_total', ['1', '2,3']);
    const values = registry.render().match(/(?<=^b_total\{.*\} )\d+$/gm);
    expect(values).toEqual(['1', '1', '1', '1']);
  });

  test('drops a cleared metric', () => {
    const registry = createRegistry(definitions);
    registry.set('c', [], 1);
    registry.clear('c');
    expect(registry.render()).not.toContain('\nc 1');
  });
});

/** A runtime that is counted, on a stage of its own. */
async function counted(wrap: (cluster: Cluster) => Cluster = (c) => c): Promise<{
  stage: TestCluster;
  meters: Meters;
  text: () => string;
  stop: () => Promise<void>;
}> {
  const stage = await createTestCluster(cloneSet('web', 'web:1'));
  await stage.runtime.stop();
  const meters = createMeters({ clock: stage.clock, version: '1.2.3' });
  const runtime = createRuntime({
    cluster: wrap(stage.world.cluster('kruise')),
    clock: stage.clock,
    policy: 'Required',
    onError: () => meters.reconcileFailed(),
    ...meters.hooks(),
  });
  meters.leads(true);
  runtime.start();
  await stage.clock.advance(60_000);
  return {
    stage,
    meters,
    text: () => meters.render(runtime),
    async stop() {
      await runtime.stop();
      await stage.stop();
    },
  };
}

const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('the metrics of a rollout', () => {
  test('actions, steps, plans, caches, leadership', async () => {
    const { stage, text, stop } = await counted();
    expect(valueOf(text(), 'kruise_leader')).toBe(1);
    expect(valueOf(text(), 'kruise_build_info{version="1.2.3"}')).toBe(1);
    expect(valueOf(text(), 'kruise_cache_objects{resource="pods"}')).toBe(3);
    expect(valueOf(text(), 'kruise_cache_bytes{resource="pods"}')).toBeGreaterThan(3_000);
    expect(valueOf(text(), 'kruise_cache_synced{resource="pods"}')).toBe(1);
    expect(text()).not.toContain('kruise_plans{');
    await stage.change('web:2', {
      steps: [
        { id: 'one', update: { to: 1 } },
        { id: 'soak', soak: { for: '2m' } },
        { id: 'ok', approve: {} },
        { id: 'all', update: { to: '100%' } },
      ],
    });
    await stage.until('AwaitingApproval');
    await stage.clock.advance(90_000);
    const waiting = text();
    expect(
      valueOf(waiting, 'kruise_plans{group="apps.kruise.io",kind="CloneSet",phase="AwaitingApproval"}'),
    ).toBe(1);
    expect(
      valueOf(
        waiting,
        'kruise_held_targets{group="apps.kruise.io",kind="CloneSet",reason="AwaitingApproval"}',
      ),
    ).toBe(1);
    expect(
      valueOf(
        waiting,
        'kruise_held_seconds{group="apps.kruise.io",kind="CloneSet",reason="AwaitingApproval"}',
      ),
    ).toBeGreaterThan(85);
    expect(
      valueOf(
        waiting,
        'kruise_held_seconds{group="apps.kruise.io",kind="CloneSet",reason="AwaitingApproval"}',
      ),
    ).toBeLessThan(95);
    expect(valueOf(waiting, 'kruise_actions_total{verb="update in place",kind="Pod"}')).toBe(1);
    expect(
      valueOf(
        waiting,
        'kruise_step_duration_seconds_count{group="apps.kruise.io",kind="CloneSet",step="update"}',
      ),
    ).toBe(1);
    expect(
      valueOf(
        waiting,
        'kruise_step_duration_seconds_count{group="apps.kruise.io",kind="CloneSet",step="soak"}',
      ),
    ).toBe(1);
    const soak =
      valueOf(
        waiting,
        'kruise_step_duration_seconds_sum{group="apps.kruise.io",kind="CloneSet",step="soak"}',
      ) ?? 0;
    expect(soak).toBeGreaterThanOrEqual(120);
    expect(soak).toBeLessThan(125);
    expect(waiting).not.toContain(
      'kruise_step_duration_seconds_count{group="apps.kruise.io",kind="CloneSet",step="approve"}',
    );
    const { digest } = (await stage.plan())['spec'] as { digest: string };
    await stage.user.create(resources.RolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name: 'ok', namespace: 'shop' },
      spec: { target: { kind: 'CloneSet', name: 'web' }, action: 'Approve', step: 'ok', digest, by: 'mona' },
    });
    await stage.until('Succeeded');
    await stage.clock.advance(60_000);
    const done = text();
    expect(valueOf(done, 'kruise_actions_total{verb="update in place",kind="Pod"}')).toBe(3);
    expect(
      valueOf(
        done,
        'kruise_step_duration_seconds_count{group="apps.kruise.io",kind="CloneSet",step="approve"}',
      ),
    ).toBe(1);
    expect(
      valueOf(
        done,
        'kruise_step_duration_seconds_count{group="apps.kruise.io",kind="CloneSet",step="update"}',
      ),
    ).toBe(2);
    expect(valueOf(done, 'kruise_plans{group="apps.kruise.io",kind="CloneSet",phase="Succeeded"}')).toBe(1);
    expect(done).not.toContain('kruise_held_targets{');
    expect(valueOf(done, 'kruise_pass_errors_total')).toBe(0);
    expect(valueOf(done, 'kruise_queue_depth')).toBe(0);
    expect(valueOf(done, 'kruise_pass_duration_seconds_count')).toBeGreaterThan(10);
    expect(valueOf(done, 'kruise_queue_latency_seconds_count')).toBe(
      valueOf(done, 'kruise_pass_duration_seconds_count'),
    );
    // No series is about one object.
    expect(done).not.toMatch(/\bweb\b|shop|h1:/);
    await stop();
  });

  test('refusals and conflicts', async () => {
    let conflicts = 1;
    const refuse = (code: number, reason: string): never => {
      throw new ApiError({ code, reason, message: 'no' });
    };
    const { stage, text, stop } = await counted((cluster) =>
      intercepting(cluster, {
        async request(call, send) {
          if (call.resource !== resources.Pod) return send();
          if (call.verb === 'patch' && conflicts-- > 0) return refuse(409, 'Conflict');
          return call.verb === 'create' ? refuse(403, 'Forbidden') : send();
        },
        watch: (_call, open, sink) => open(sink),
      }),
    );
    await stage.change('web:2');
    await patchSpec(stage, 'web', { replicas: 4 });
    await stage.clock.advance(30_000);
    expect(valueOf(text(), 'kruise_refusals_total{reason="MovedOn"}')).toBe(1);
    expect(valueOf(text(), 'kruise_refusals_total{reason="Forbidden"}')).toBeGreaterThan(0);
    expect(valueOf(text(), 'kruise_pass_errors_total')).toBeGreaterThan(0);
    await stop();
  });

  test('targets of several kinds with one name are counted separately', () => {
    const meters = createMeters({ clock: createVirtualClock(60_000), version: '1' });
    const { onSnapshot } = meters.hooks();
    const plan = { digest: 'h1:0', phase: 'Running', step: 0, verb: 'update' } as const;
    const ids = [
      { group: 'apps.kruise.io', kind: 'StatefulSet' },
      { group: 'apps', kind: 'StatefulSet' },
      { group: 'apps', kind: 'DaemonSet' },
    ];
    for (const [index, id] of ids.entries()) {
      const held = { reason: 'NoPlan', message: '', since: index * 10_000 };
      onSnapshot({ key: targetKey(id, 'shop', 'web'), plan, held });
      onSnapshot({ key: targetKey(id, 'shop', 'db'), plan: undefined, held });
    }
    const lines = meters.render(undefined).split('\n');
    const series = lines.filter((line) => /^kruise_(plans|held_(targets|seconds))\{/.test(line));
    expect(series).toEqual([
      'kruise_held_seconds{group="apps",kind="DaemonSet",reason="NoPlan"} 40',
      'kruise_held_seconds{group="apps",kind="StatefulSet",reason="NoPlan"} 50',
      'kruise_held_seconds{group="apps.kruise.io",kind="StatefulSet",reason="NoPlan"} 60',
      'kruise_held_targets{group="apps",kind="DaemonSet",reason="NoPlan"} 2',
      'kruise_held_targets{group="apps",kind="StatefulSet",reason="NoPlan"} 2',
      'kruise_held_targets{group="apps.kruise.io",kind="StatefulSet",reason="NoPlan"} 2',
      'kruise_plans{group="apps",kind="DaemonSet",phase="Running"} 1',
      'kruise_plans{group="apps",kind="StatefulSet",phase="Running"} 1',
      'kruise_plans{group="apps.kruise.io",kind="StatefulSet",phase="Running"} 1',
    ]);
  });

  test('calls by verb, resource and code; no target remains after the end of a term', () => {
    const clock = createVirtualClock(0);
    const meters = createMeters({ clock, version: '1' });
    meters.leads(true);
    meters.onCall({ verb: 'patch', resource: 'pods', code: 200, ms: 20, retried: 2 });
    meters.onCall({ verb: 'patch', resource: 'pods', code: 'error', ms: 20, retried: 0 });
    const plan = { digest: 'h1:0', phase: 'Running', step: 0, verb: 'update' } as const;
    meters.hooks().onSnapshot({ key: cloneSetKey(), plan, held: undefined });
    expect(
      valueOf(
        meters.render(undefined),
        'kruise_plans{group="apps.kruise.io",kind="CloneSet",phase="Running"}',
      ),
    ).toBe(1);
    meters.leads(false);
    const text = meters.render(undefined);
    expect(valueOf(text, 'kruise_api_requests_total{verb="patch",resource="pods",code="200"}')).toBe(1);
    expect(valueOf(text, 'kruise_api_requests_total{verb="patch",resource="pods",code="error"}')).toBe(1);
    expect(valueOf(text, 'kruise_api_retries_total{verb="patch",resource="pods"}')).toBe(2);
    expect(valueOf(text, 'kruise_leader')).toBe(0);
    expect(valueOf(text, 'kruise_leader_changes_total{to="standby"}')).toBe(1);
    expect(text).not.toContain('kruise_plans{');
  });
});
