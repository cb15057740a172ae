import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { change, midway } from '../cloneset/midway.ts';

/** What is done with two pods: a patch at the creation of the first has removed the container whose image changes. */
function done(type: string, envelope: Partial<Envelope> = {}) {
  const model = midway(2, 0, { spec: { replicas: 2 }, strategy: { type, maxUnavailable: 2 } });
  change(model, 'o0', (pod) => ({
    ...pod,
    spec: { ...pod.spec, containers: [{ name: 'other', image: 'other:1' }] },
  }));
  const { actions, explanations } = model.decide(envelope);
  return {
    first: actions.filter((action) => action.do !== 'create' && action.name === 'o0').map(({ verb }) => verb),
    second: actions.filter((action) => action.do !== 'create' && action.name === 'o1').length,
    why: explanations.filter(({ about }) => about === 'o0').map(({ reason }) => reason),
  };
}

describe('a pod without the container whose image changes', () => {
  it('is recreated, and the other one is updated in place', () => {
    const { first, second } = done('InPlaceIfPossible');
    expect(first).toEqual(['mark for recreation']);
    expect(second).toBe(1);
  });

  it('stays, with the reason, where no pod may be recreated', () => {
    const { first, second, why } = done('InPlaceOnly');
    expect([first, second]).toEqual([[], 1]);
    expect(why).toEqual(['stays: the change cannot be made in place and podUpdatePolicy is InPlaceOnly']);
  });

  it('stays where the plan allows updates in place alone', () => {
    const { first, why } = done('InPlaceIfPossible', { mode: 'InPlace' });
    expect(first).toEqual([]);
    expect(why).toEqual(['stays: it would have to be recreated, and the plan allows InPlace']);
  });
});
