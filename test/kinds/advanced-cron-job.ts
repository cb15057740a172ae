import type { JsonObject } from '../../schemas/wire/json.ts';
import { tidy } from '../runtime/cron-world.ts';
import type { Expected } from './expected.ts';

const child = (name: string): JsonObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', namespace: 'ops', name },
  ...{ uid: name, resourceVersion: '7' },
});
const ran = { type: 'Job', active: [child('tidy-1')], lastScheduleTime: '2026-01-01T11:00:00Z' };

const nothing = { waitingOn: '', message: '' };

/**
 * Its units are the times of a schedule (OpenKruise advancedcronjob, sections 3 and 6): there is no number of them all, nothing is
 * ever left to do, and its status has no generation.
 */
export const advancedCronJobs: Expected = {
  target({ spec, status } = {}) {
    const object = tidy();
    return {
      ...object,
      metadata: {
        ...object.metadata,
        uid: 'of-tidy',
        generation: 2,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { ...(object['spec'] as JsonObject), ...spec },
      status: { ...ran, ...status },
    };
  },
  shown: {
    'one child is active': {
      verdict: 'done',
      columns: ['', ''],
      counts: '1 active, last scheduled at 2026-01-01T11:00:00Z',
      ...nothing,
    },
    'it has never run': {
      status: { active: [], lastScheduleTime: null },
      verdict: 'done',
      columns: ['', ''],
      counts: '0 active, never scheduled',
      ...nothing,
    },
    paused: {
      spec: { paused: true },
      verdict: 'done',
      columns: ['', ''],
      counts: '1 active, last scheduled at 2026-01-01T11:00:00Z',
      waitingOn: 'TargetPaused',
      message: 'paused is true in its manifest: nothing is created at its times; set it to false in git',
    },
  },
  breakGlass: {
    'its template has changed': {
      now: 'nothing changes now: the next time of its schedule, or one that waits already, runs the template of its manifest',
    },
    paused: {
      spec: { paused: true },
      now: 'nothing is created while paused is true in its manifest',
    },
  },
  failures: [],
  unobserved: [{}],
  shadow: [
    {
      theirs: ran,
      ours: { ...ran, active: [child('tidy-1'), child('tidy-2')] },
      differences: ['status.active is tidy-1; expected: tidy-1, tidy-2'],
    },
    {
      theirs: { type: 'Job' },
      ours: { type: 'BroadcastJob', active: [child('tidy-1')] },
      differences: ['status.type is Job; expected: BroadcastJob', 'status.active is none; expected: tidy-1'],
    },
    {
      theirs: ran,
      ours: { ...ran, active: [{ ...child('tidy-1'), resourceVersion: '8' }] },
      differences: [],
    },
  ],
  refused: {
    'a new child': {
      objects: [{ plural: 'advancedcronjobs', object: tidy() }],
      of: { verb: 'create', plural: 'jobs' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
