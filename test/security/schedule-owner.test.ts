import { afterEach, describe, expect, test } from 'vitest';
import type { Step, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createChild } from '../../semantics/advancedcronjob/new-child.ts';
import { JOB_DEFAULTS } from '../../semantics/broadcastjob/defaults.ts';
import { childDigest, CHILDREN_ANNOTATION, childrenText } from '../../semantics/children/records.ts';
import { childResources } from '../../semantics/advancedcronjob/resource.ts';
import { WAVES_ANNOTATION, wavesText } from '../../semantics/children/waves.ts';
import { advancedCronJobKind } from '../../semantics/advancedcronjob/kind.ts';
import { jobRolloutOf, jobViewOf } from '../../semantics/broadcastjob/view.ts';
import type { Creator } from '../../semantics/kinds/kind.ts';
import { parseRevisions, type Revision } from '../../semantics/revision/revision.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { createCronWorld, type CronWorld, OPS, planFor, tidy, type Tidy } from '../runtime/cron-world.ts';
import {
  broadcastJobTemplate,
  cronJobOf,
  decide,
  doneBy,
  type Given,
  revisionsOf,
} from '../semantics/advancedcronjob/model.ts';

/**
 * Whoever may create a BroadcastJob may name a schedule as its controller. Where no admission policy refuses that, only the
 * record of the schedule tells its children apart: they need no plan, and every other one does.
 */
let world: CronWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const { BroadcastJob } = childResources;
const ALL: readonly Step[] = [{ id: 'all', update: { to: '100%' } }];
const WAVES: Wave[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'watch', soak: { for: '4m' } },
  { id: 'rest', run: { to: '100%' } },
];
/** Every ten minutes, on three nodes. */
const every: Tidy = { of: 'BroadcastJob', spec: { schedule: '*/10 * * * *' } };
const MIDNIGHT = Date.UTC(2026, 0, 1);
const childName = (minute: number): string => `tidy-${MIDNIGHT / 1000 + minute * 60}`;

/** A schedule whose template has its plan. */
async function scheduled(parts: Parameters<typeof createCronWorld>[0] = {}, waves: Wave[] = WAVES) {
  world = await createCronWorld({ nodes: 3, ...parts });
  await world.apply(planFor(undefined, every, ALL, { waves }), tidy(every));
  await world.until('0:01:00');
  return world;
}

/** An object that says that the schedule has created it for this minute. */
async function forged({ user }: CronWorld, minute: number) {
  const schedule = await user.get(advancedCronJobKind.resource, { namespace: OPS, name: 'tidy' });
  const containers = [{ name: 'main', image: 'tidy:evil' }];
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: {
      name: childName(minute),
      namespace: OPS,
      annotations: {
        'apps.kruise.io/scheduled-at': new Date(MIDNIGHT + minute * 60_000).toISOString().replace('.000', ''),
      },
      ownerReferences: [controllerReference(schedule)],
    },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  } satisfies KubeObject;
}

/** The images of all pods that there are, or of those of one job. */
async function images({ user }: CronWorld, job?: string): Promise<string[]> {
  const { items } = await user.list(resources.Pod, { namespace: OPS });
  const own = items.filter(
    ({ metadata }) => metadata.ownerReferences?.[0]?.name === (job ?? metadata.ownerReferences?.[0]?.name),
  );
  return own.map(({ spec }) => /tidy:[a-z0-9]+/.exec(JSON.stringify(spec))?.[0] ?? '');
}

async function heldAs({ user }: CronWorld, name: string): Promise<string> {
  const job = await user.get(BroadcastJob, { namespace: OPS, name });
  const { conditions = [] } = (job['status'] ?? {}) as { conditions?: Condition[] };
  const held = conditions.find(({ type, status }) => type === 'plan.kruise.io/Held' && status === 'True');
  return held === undefined ? '' : `${held.reason}: ${held.message}`;
}

describe.each(['Required', 'Auto'] as const)(
  'an object that says that a schedule has created it, in %s',
  (policy) => {
    test('runs nowhere where the schedule has no record of its time', async () => {
      const at = await scheduled({ policy });
      for (const minute of [-10, 5]) await at.user.create(BroadcastJob, await forged(at, minute));
      await at.until('0:09:00');
      expect(await images(at)).toEqual([]);
      expect(await heldAs(at, childName(5))).toMatch(
        /^Unproven: .*AdvancedCronJob tidy has not recorded that it creates it\. It begins nowhere\. Delete it, or/,
      );
    });

    test('runs nowhere with the name of a coming time, nor in its waves, which gets no child then', async () => {
      const at = await scheduled({ policy });
      const object = await forged(at, 10);
      const annotations = { ...object.metadata.annotations, [WAVES_ANNOTATION]: wavesText(WAVES) };
      await at.user.create(BroadcastJob, { ...object, metadata: { ...object.metadata, annotations } });
      await at.until('0:19:00');
      expect(await images(at)).toEqual([]);
      const { items } = await at.user.list(resources.Event, { namespace: OPS });
      const said = items.map(({ message }) => String(message));
      expect(said).toContainEqual(expect.stringContaining('an object that it has not created has the name'));
      await at.until('0:20:30');
      expect(await images(at)).toEqual(['tidy:1']);
    });
  },
);

test.each([
  ['has ended', '0:01:40'],
  ['runs', '0:01:10'],
])(
  'an object with the name of the last time of a schedule of Jobs runs nowhere, while that one %s',
  async (_how, now) => {
    world = await createCronWorld();
    await world.apply(tidy());
    await world.until(now);
    await world.user.create(BroadcastJob, await forged(world, 1));
    await world.until('0:03:50');
    expect(await images(world)).not.toContain('tidy:evil');
    expect(await heldAs(world, childName(1))).toMatch(/^Unproven: /);
    const { items } = await world.user.list(resources.ControllerRevision, { namespace: OPS });
    expect(JSON.stringify(items)).not.toContain(CHILDREN_ANNOTATION);
  },
);

test('a schedule that is new is not adopted for a Job that says to be of it, made while no runtime ran', async () => {
  world = await createCronWorld();
  await world.stopRuntime();
  await world.apply(tidy({ ...every, spec: { schedule: '* * * * *' } }));
  await world.until('0:02:10');
  const { metadata } = await forged(world, 2);
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tidy:1' }] } };
  await world.user.create(childResources.Job, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { template },
  });
  world.startRuntime();
  await world.until('0:05:00');
  expect(await world.children('BroadcastJob')).toEqual([]);
  expect((await world.status()).held).toBe('NoPlan');
});

test('a child whose template or parallelism somebody edits begins on no further node, until that is undone', async () => {
  const at = await scheduled();
  await at.until('0:10:30');
  expect(await images(at)).toEqual(['tidy:1']);
  const edit = async (spec: JsonObject) => {
    const patch = { type: 'merge', body: { spec } } as const;
    await at.user.patch(BroadcastJob, { namespace: OPS, name: childName(10) }, patch);
  };
  const template = (image: string): JsonObject => ({
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } },
  });
  await edit(template('tidy:evil'));
  await at.until('0:16:00');
  expect(await images(at)).toEqual(['tidy:1']);
  expect(await heldAs(at, childName(10))).toMatch(/it is not as AdvancedCronJob tidy has created it/);
  await edit({ ...template('tidy:1'), parallelism: 1 });
  await at.until('0:17:00');
  expect(await images(at)).toEqual(['tidy:1']);
  await edit({ parallelism: null, paused: true });
  await at.until('0:17:30');
  expect(await heldAs(at, childName(10))).not.toMatch(/Unproven/);
  await edit({ paused: false });
  // The time of its soak was stopped meanwhile.
  await at.until('0:24:00');
  expect(await images(at, childName(10))).toEqual(['tidy:1', 'tidy:1', 'tidy:1']);
});

test('a child goes on after the schedule has another template, and after a restart', async () => {
  const at = await scheduled();
  await at.until('0:10:30');
  const next = { ...every, image: 'tidy:2' };
  await at.apply(planFor(every, next, ALL), tidy(next));
  await at.stopRuntime();
  at.startRuntime();
  await at.until('0:19:00');
  expect(await images(at)).toEqual(['tidy:1', 'tidy:1', 'tidy:1']);
  expect(await at.children('BroadcastJob')).toEqual(['00:10 Complete']);
  await at.until('0:29:00');
  expect((await at.children('BroadcastJob')).at(-1)).toBe('00:20 Complete');
  expect(at.errors).toEqual([]);
});

test('a child that runs since before there were records goes on, and nobody else gets its time', async () => {
  const at = await scheduled();
  await at.until('0:10:30');
  await at.stopRuntime();
  const { items } = await at.user.list(resources.ControllerRevision, { namespace: OPS });
  const body = { metadata: { annotations: { [CHILDREN_ANNOTATION]: null } } };
  for (const { metadata } of items)
    await at.user.patch(
      resources.ControllerRevision,
      { namespace: OPS, name: metadata.name },
      { type: 'merge', body },
    );
  at.startRuntime();
  await at.until('0:19:00');
  expect(await at.children('BroadcastJob')).toEqual(['00:10 Complete']);
  await at.user.delete(BroadcastJob, { namespace: OPS, name: childName(10) });
  await at.until('0:19:10');
  await at.user.create(BroadcastJob, await forged(at, 10));
  await at.until('0:19:50');
  expect(await heldAs(at, childName(10))).toMatch(/^Unproven: /);
});

describe('by the rules alone', () => {
  const TICK = Date.UTC(2026, 2, 3, 1);
  const schedule = cronJobOf({ template: broadcastJobTemplate() });
  const given: Given = { now: '1:00', spec: { template: broadcastJobTemplate() } };
  const [revision] = parseRevisions(revisionsOf(given)) as [Revision];
  const created = createChild(schedule, revision, TICK) as { object: KubeObject };
  const child: KubeObject = { ...created.object, metadata: { ...created.object.metadata, uid: 'child-uid' } };
  const records = new Map([[TICK, childDigest(child, JOB_DEFAULTS)]]);
  const recorded = annotated(revision.object, { [CHILDREN_ANNOTATION]: childrenText(records) });

  function annotated(object: KubeObject, annotations: Record<string, string>): KubeObject {
    const { metadata } = object;
    return {
      ...object,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    };
  }

  /** Whether a child needs no plan, or why that is not believed. */
  function judged(target: KubeObject, creator: Creator | undefined): string {
    const objects = { target, pods: [], revisions: [], takenNames: new Set<string>(), now: TICK };
    const view = jobViewOf({ ...objects, ...(creator !== undefined && { creator }) });
    const { origin } = jobRolloutOf(view, { unsupported: [], invalid: [] });
    switch (origin.by) {
      case 'user':
        return 'it needs a plan';
      case 'unproven':
        return origin.why;
      case 'target':
      case 'root':
        return 'created';
    }
  }

  const of = (metadata: Partial<KubeObject['metadata']>, revisions = [recorded], status?: JsonObject) => ({
    target: {
      ...schedule,
      metadata: { ...schedule.metadata, ...metadata },
      ...(status !== undefined && { status }),
    },
    revisions,
  });
  const active = { active: [{ uid: 'child-uid' }] };

  test.each<[what: string, target: KubeObject, creator: Creator | undefined, judgment: string]>([
    ['as it is on record', child, of({}), 'created'],
    ['a schedule that does not exist', child, undefined, 'does not exist, or is not managed'],
    ['one with another uid', child, of({ uid: 'another' }), 'is another one'],
    ['one in another namespace', child, of({ namespace: 'shop' }), 'is another one'],
    [
      'one that is being deleted',
      child,
      of({ deletionTimestamp: '2026-03-03T00:00:00Z' }),
      'is being deleted',
    ],
    ['no record', child, of({}, [revision.object]), 'has not recorded'],
    [
      'no record, whatever the status says',
      child,
      of({}, [annotated(revision.object, { [CHILDREN_ANNOTATION]: '' })], active),
      'has not recorded',
    ],
    ['what OpenKruise has created', child, of({}, [], active), 'created'],
    [
      'a record that somebody has garbled',
      child,
      of({}, [annotated(recorded, { [CHILDREN_ANNOTATION]: '1:x' })]),
      'has not recorded',
    ],
    ['other waves', annotated(child, { [WAVES_ANNOTATION]: wavesText(WAVES) }), of({}), 'is not as'],
    ['another template', { ...child, spec: { template: { spec: { containers: [] } } } }, of({}), 'is not as'],
    [
      'more at a time',
      { ...child, spec: { ...(child['spec'] as object), parallelism: 9 } },
      of({}),
      'is not as',
    ],
    [
      'defaults of the server',
      { ...child, spec: { ...(child['spec'] as object), parallelism: 2147483647 } },
      of({}),
      'created',
    ],
    [
      'that it is paused',
      { ...child, spec: { ...(child['spec'] as object), paused: true } },
      of({}),
      'created',
    ],
    [
      'another name',
      { ...child, metadata: { ...child.metadata, name: 'tidy-1' } },
      of({}),
      'has not recorded',
    ],
  ])('a child is judged by %s', (_what, target, creator, judgment) => {
    expect(judged(target, creator)).toContain(judgment);
  });

  test('a child that has ended keeps its status, and begins nowhere', () => {
    const ended = { ...child, status: { conditions: [{ type: 'Complete', status: 'True' }] } };
    const waves = annotated(ended, { [WAVES_ANNOTATION]: wavesText(WAVES) });
    const objects = { target: waves, pods: [], revisions: [], takenNames: new Set<string>(), now: TICK };
    const { origin } = jobRolloutOf(jobViewOf(objects), { unsupported: [], invalid: [] });
    expect(origin).toEqual({ by: 'target', plan: undefined });
    const endless = { ...ended, spec: { ...(child['spec'] as object), completionPolicy: { type: 'Never' } } };
    expect(judged(endless, undefined)).toContain('does not exist');
  });

  test('is recorded before it exists, and a taken name gets none', () => {
    const wanted = { ...given, kind: 'BroadcastJob' } as const;
    const before = decide(wanted).actions;
    expect(before).toMatchObject([{ verb: 'record children', body: { metadata: { annotations: {} } } }]);
    expect(doneBy({ ...wanted, taken: [child.metadata.name] })).toBe('');
  });
});
