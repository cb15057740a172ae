import { describe, expect, test, vi } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sampled } from '../lanes.ts';
import { commit, loseAll, unitsAt } from './actions.ts';
import { refusingPods } from './disturbances.ts';
import { play } from './play.ts';
import { all, type Change, type ScriptStep, type Subject, type World } from './subject.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const forbidden = new ApiError({
  code: 422,
  reason: 'Invalid',
  message: 'pods is forbidden: ValidatingAdmissionPolicy "old" denied request: it has a known hole',
});
const HALF: Step[] = [{ id: 'one', update: { to: '25%' } }, { id: 'half', update: { to: '50%' } }, all];
/** No clock of a plan stops it within so long. */
const SOON_MS = 10 * 60_000;

/** Whether a pod that is to be created is at this revision, as the subject reads it. */
function isAt({ units }: Subject, revision: string): (pod: KubeObject) => boolean {
  return (pod) => {
    const [owner] = pod.metadata.ownerReferences ?? [];
    const target = { metadata: { uid: owner?.uid } } as KubeObject;
    return units(new Map([['', pod]]), target).some((unit) => unit.revision === revision);
  };
}

/** Some pods of the revision that the server refuses are gone, and a commit fixes it step by step. */
function fixed({ states: [broken, fix], mode }: Change, size: number, gone: ScriptStep): World {
  return {
    title: '',
    target: broken.manifest,
    script: [
      gone,
      commit(fix.manifest, { mode, from: [broken.manifest], steps: HALF }),
      unitsAt(fix.revision, 1),
    ],
    end: { phase: 'Succeeded', units: { [fix.revision]: size } },
  };
}

const cases = subjects.flatMap((subject) =>
  subject.changes.map((change) => ({
    title: `${subject.kind.id.kind}, ${change.title}`,
    subject,
    change,
    size: subject.sizeOf(change.states[0].manifest),
  })),
);

/** `npm test` plays some, the full lane all. */
const drawn = sampled('refused revision', cases, 3, cases.length);

describe.each(drawn)(
  '$title: the server refuses the revision before, and the fix is rolled out',
  ({ subject, change, size }) => {
    const { revision } = change.states[0];

    test.each([
      ['every pod', loseAll(revision)],
      ['two pods', loseAll(revision, 2)],
    ] as const)('where %s is missing', async (_, gone) => {
      const how = refusingPods(isAt(subject, revision), forbidden);
      const played = await play(subject, fixed(change, size, gone), how);
      expect(played.broken).toEqual([]);
      expect(played.errors.filter((error) => error !== forbidden)).toEqual([]);
      expect(played.tookMs).toBeLessThan(SOON_MS);
    });
  },
);
