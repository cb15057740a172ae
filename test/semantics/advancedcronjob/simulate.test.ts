import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideCronJob } from '../../../semantics/advancedcronjob/decide.ts';
import { reviseCronJob } from '../../../semantics/advancedcronjob/revise.ts';
import { countedTicks } from '../../../semantics/advancedcronjob/ticks.ts';
import { cronJobView } from '../../../semantics/advancedcronjob/view.ts';
import type { Action } from '../../../semantics/decision.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { stableRevision } from '../../../semantics/revision/revision.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { at, clock, type Given, revisionsOf, targetOf } from './model.ts';
import { cpuMs } from '../../cpu-time.ts';

interface World {
  target: KubeObject;
  children: KubeObject[];
  revisions: KubeObject[];
  /** The times of the children that were created. */
  created: string[];
}

interface Course extends Given {
  /** Seconds that a child runs, as seen at the next look. */
  runs: number;
  /** Seconds after its end after which it is gone. */
  ttl?: number;
  /** How many ticks the plan allows for a template that is not stable. */
  allowed?: number;
}

/** The time between two looks. */
const STEP_MS = 10_000;

/** Plays the seconds of a course: what is decided is done at once, and children end. */
function play(course: Course, seconds: number, each: (world: World, now: number) => void = () => {}): World {
  const world: World = {
    target: targetOf(course),
    children: [],
    revisions: revisionsOf(course),
    created: [],
  };
  const start = at(course.now);
  for (let now = start; now < start + seconds * 1000; now += STEP_MS) {
    each(world, now);
    world.children = world.children.flatMap((child) => aged(child, course, now));
    // A decision may come several times at one moment, as after a write of the status.
    for (let again = 0; again < 2; again++) decideOnce(world, course, now);
  }
  return world;
}

function aged(child: KubeObject, { runs, ttl }: Course, now: number): KubeObject[] {
  const begun = Date.parse(child.metadata.creationTimestamp ?? '');
  if (ttl !== undefined && now >= begun + (runs + ttl) * 1000) return [];
  if (now < begun + runs * 1000 || child['status'] !== undefined) return [child];
  const conditions = [{ type: 'Complete', status: 'True' }];
  return [{ ...child, status: { startTime: child.metadata.creationTimestamp, conditions } }];
}

function decideOnce(world: World, { allowed = 0 }: Course, now: number): void {
  const objects = { ...world, takenNames: new Set<string>(), now };
  const view = cronJobView(objects);
  const writes = reviseCronJob(view);
  if (writes.length > 0) return writes.forEach((action) => carryOut(world, action, now));
  const stable = stableRevision(view)?.hash ?? '';
  const bound = { goal: view.liveHash, stable, allowed, moving: true, touch: true, reason: 'a test' };
  const { actions, status } = decideCronJob({ view, bound, held: undefined, keep: new Set() });
  world.target = { ...world.target, status };
  for (const action of actions) carryOut(world, action, now);
}

function carryOut(world: World, action: Action, now: number): void {
  if (action.do === 'delete') {
    world.children = world.children.filter(({ metadata }) => metadata.uid !== action.uid);
  } else if (action.do === 'patch') {
    world.revisions = world.revisions.map((revision) =>
      revision.metadata.name === action.name ? patched(revision, action.body) : revision,
    );
  } else if (action.do === 'create') {
    const { metadata } = action.object;
    const uid = `uid-${world.created.length}`;
    const child = { ...action.object, metadata: { ...metadata, uid, creationTimestamp: timestamp(now) } };
    world.children.push(child);
    world.created.push(clock(Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1)) * 1000));
  }
}

const everyMinute: JsonObject = { schedule: '* * * * *' };
const minutes = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => clock(at(`0:${from + n}`)));

test('a child for every minute, once (AC-11)', () => {
  const { created, target } = play({ now: '0:00', spec: everyMinute, runs: 5 }, 181);
  expect(created).toEqual(minutes(1, 3));
  expect(target['status']).toMatchObject({ lastScheduleTime: '2026-03-03T00:03:00Z' });
});

test('a child that is gone before the next minute, for 200 minutes (AC-25)', () => {
  const { created } = play({ now: '0:00', spec: everyMinute, runs: 1, ttl: 10 }, 201 * 60);
  expect(created).toHaveLength(200);
  expect(new Set(created).size).toBe(200);
});

test('no history: no minute runs twice (AC-24)', () => {
  const spec = { ...everyMinute, successfulJobsHistoryLimit: 0 };
  const { created, children } = play({ now: '0:00', spec, runs: 5 }, 181);
  expect([created, children.length]).toEqual([minutes(1, 3), 1]);
});

test('none for two minutes in which it is paused, then the last one at once (AC-14)', () => {
  const running = targetOf({ now: '0:00', spec: everyMinute });
  const stopped = targetOf({ now: '0:00', spec: { ...everyMinute, paused: true } });
  const { created } = play({ now: '0:00', spec: everyMinute, runs: 5 }, 250, (world, now) => {
    const isPaused = now >= at('0:01:30') && now < at('0:03:30');
    const { status } = world.target as { status?: JsonObject };
    world.target = { ...(isPaused ? stopped : running), ...(status && { status }) };
  });
  expect(created).toEqual(['00:01', '00:03', '00:04']);
});

test('with Forbid, the last minute that a long child has kept waiting starts when it ends (AC-16)', () => {
  const spec = { ...everyMinute, concurrencyPolicy: 'Forbid' };
  const { created } = play({ now: '0:00', spec, runs: 150 }, 400);
  expect(created).toEqual(['00:01', '00:03', '00:06']);
});

test('a time that was missed while nothing ran is made up for, once (AC-21)', () => {
  const { created } = play({ now: '0:10:30', spec: everyMinute, runs: 5 }, 31);
  expect(created).toEqual(['00:10', '00:11']);
});

test('two ticks run a changed template where a plan allows two, though their children are soon gone', () => {
  const spec = { ...everyMinute, successfulJobsHistoryLimit: 0 };
  const course: Course = { now: '0:00', spec, stable: 'other', runs: 5, ttl: 20, allowed: 2 };
  const { created, revisions } = play(course, 301);
  expect(created).toEqual(minutes(1, 5));
  const { ticks } = cronJobView({
    target: targetOf(course),
    revisions,
    takenNames: new Set(),
    now: at('0:06'),
  });
  expect(countedTicks(ticks.now).map(({ at: time, outcome }) => `${clock(time)} ${outcome}`)).toEqual([
    '00:01 succeeded',
    '00:02 succeeded',
  ]);
});

/** The time of a decision about so many children, milliseconds: the best of several. */
function timeOf(count: number): number {
  const course: Given = { now: '23:00', spec: { ...everyMinute, successfulJobsHistoryLimit: count } };
  const target = targetOf(course);
  const owner = {
    apiVersion: target.apiVersion,
    kind: target.kind,
    name: 'tidy',
    uid: 'cron-uid',
    controller: true,
  };
  const children = Array.from({ length: count }, (_, n): KubeObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `tidy-${at('0:00') / 1000 + n * 60}`,
      namespace: 'ops',
      uid: `uid-${n}`,
      annotations: { 'apps.kruise.io/scheduled-at': timestamp(at('0:00') + n * 60_000) },
      ownerReferences: [owner],
    },
    status: {
      startTime: timestamp(at('0:00') + n * 60_000),
      conditions: [{ type: 'Complete', status: 'True' }],
    },
  }));
  const revisions = revisionsOf(course);
  const times = Array.from({ length: 9 }, () => {
    const cluster = { target, children: [...children], revisions, created: [] };
    return cpuMs(() => decideOnce(cluster, { ...course, runs: 1 }, at('23:00:30')));
  });
  return Math.min(...times);
}

test('a decision about many children takes time in proportion', () => {
  timeOf(1000);
  const [few, many] = [timeOf(1000), timeOf(8000)];
  // With n log n it is about tenfold; with a square, sixty-fourfold.
  expect(many / few).toBeLessThan(35);
});
