import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { lose, MINUTE, setSpec, settle, withClaims } from '../cloneset/claimed.ts';
import type { Model } from '../cloneset/model.ts';

describe('what a replacement waits for', () => {
  test.each([
    ['pod', (model: Model) => lose(model, 'terminating')],
    ['claim', loseWithGoingClaim],
  ])(
    'reuse on: a %s that is not deleted, and that a pod waits for, is reported after a minute',
    (kind, stall) => {
      const model = withClaims();
      const { name } = stall(model).metadata;
      const waited =
        kind === 'pod'
          ? `the deletion of ${name}: it takes its name and data-${name}`
          : `the deletion of claim data-${name}: it needs one of that name`;
      const shown = () =>
        ((model.decide().status as CloneSetStatus).conditions ?? []).map(
          ({ type, message }) => `${type}: ${message}`,
        );
      expect(shown()).toEqual([]);
      const { requeueAt } = model.decide();
      expect(requeueAt).toBe(model.now + MINUTE);
      model.now += MINUTE;
      expect(shown()).toEqual([
        `FailedScale: a pod waits for ${waited}. Find out what blocks the deletion, such as a finalizer or a missing node`,
      ]);
      expect(model.decide().requeueAt).toBeUndefined();
      model.pods = model.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      model.claims = model.claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(settle(model)).toContain(`create ${name} web:1`);
      expect(shown()).toEqual([]);
    },
  );

  test('the delay stays reported, with its time, while another pod is created and counted', () => {
    const model = withClaims();
    lose(model, 'terminating');
    model.now += MINUTE;
    setSpec(model, { replicas: 3 });
    const since = timestamp(model.now);
    const verbs = [];
    for (let look = 0; look < 4; look++) {
      const { actions, status } = model.decide();
      const { conditions = [] } = status as CloneSetStatus;
      expect(conditions.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
        `FailedScale ${since}`,
      ]);
      verbs.push(...actions.map(({ verb }) => verb));
      model.target = { ...model.target, status };
      for (const action of actions) model.apply(action);
      model.now += 1_000;
    }
    expect(verbs).toEqual(['create claim', 'annotate revision']);
  });
});

/** A pod is lost, and a user has deleted one of its two claims, which stays terminating. */
function loseWithGoingClaim(model: Model): Pod {
  const lost = lose(model);
  const name = `data-${lost.metadata.name}`;
  const logs = model.claims.find(({ metadata }) => metadata.name === name);
  if (logs === undefined) throw new Error('there is no claim');
  const deletionTimestamp = timestamp(model.now);
  model.claims = [
    ...model.claims.filter((each) => each !== logs),
    { ...logs, metadata: { ...logs.metadata, deletionTimestamp } },
    { ...logs, metadata: { ...logs.metadata, name: `logs-${lost.metadata.name}` } },
  ];
  return lost;
}
